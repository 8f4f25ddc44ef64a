"""An embedder that fails takes nothing away: words are stored and found, vectors come later."""

import logging

import simonides

logging.getLogger("simonides").setLevel(logging.ERROR)  # a warning says the same
working = False


def embed(texts):  # any function from texts to rows of numbers
    if not working:
        raise ConnectionError("the server is down")
    return [[float(len(text)), 1.0] for text in texts]


with simonides.open(":memory:", embedder=embed) as store:
    thought = store.remember("The spare key is under the blue pot")
    print("stored, its vector is", thought.embedding)
    print("found by words:", store.recall("spare key").hits[0].thought.content)

    working = True
    print("vectors made:", store.embed_pending())
    working = False
    answer = store.recall("spare key")
    print("still found:", answer.hits[0].thought.content)
    for problem in answer.degraded:
        print("degraded:", problem.what, "-", problem.reason)
