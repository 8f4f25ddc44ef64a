"""One file, several owners; a sealed handle cannot reach anybody else."""

import simonides

with simonides.open(":memory:", namespace="ana") as ana:
    ana.remember("My locker code is 4471", thought_id="locker")
    ben = ana.in_namespace("ben", sealed=True)
    ben.remember("My locker code is 4472", thought_id="locker")  # the same id, another owner, another thought

    print("ana:", ana.recall("locker code").hits[0].thought.content)
    print("ben:", ben.recall("locker code").hits[0].thought.content)
    both = ana.recall("locker code", namespace=["ana", "ben"])  # an open handle may ask for several by name
    print("both:", [hit.thought.namespace for hit in both.hits])
    try:
        ben.recall("locker code", namespace="ana")
    except simonides.NamespaceError as error:
        print(f"refused [{error.code}]: {error}")
    print("ben sees:", ben.namespaces(), "of", ana.namespaces())
