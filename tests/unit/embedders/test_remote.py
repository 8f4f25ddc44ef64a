"""OpenAI-compatible and Ollama servers, played by a server on this machine."""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from simonides.embedders.http import Patience, ServerRefusedError, checked_base_url
from simonides.embedders.ollama import OllamaEmbedder, _from_environment
from simonides.embedders.openai import OpenAIEmbedder
from simonides.errors import ConfigError, EmbeddingError

KEY = "sk-secret-0123"
Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Played:
    """A server: `answers` are given in order, the last one for ever. `requests`: (path, headers, body)."""

    url: str = ""
    answers: list[Answer | Callable[[dict[str, object]], Answer]] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], dict[str, object]]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)


def reply(payload: object, status: int = 200, **headers: str) -> Answer:
    return status, {k.replace("_", "-"): v for k, v in headers.items()}, json.dumps(payload).encode()


@pytest.fixture
def server() -> Iterator[Played]:
    played = Played()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            played.requests.append((self.path, dict(self.headers), body))
            answer = played.answers.pop(0) if len(played.answers) > 1 else played.answers[0]
            status, headers, content = answer(body) if callable(answer) else answer
            if status == 0:  # hang until the test is over
                played.release.wait(20)
                return
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
    played.url = f"http://127.0.0.1:{listening.server_address[1]}/v1"
    yield played
    played.release.set()
    listening.shutdown()
    listening.server_close()


@dataclass
class Pauses:
    """A patience that notes its pauses instead of sleeping."""

    taken: list[float] = field(default_factory=list)

    def patience(self, **changed: float) -> Patience:
        return Patience(pause=self.taken.append, **changed)  # type: ignore[arg-type]  # values of a test, by name


def vectors(body: dict[str, object]) -> Answer:
    """A vector that tells the length of its text, in reverse order, as a server may."""
    texts = body["input"]
    assert isinstance(texts, list)
    return reply({"data": [{"index": n, "embedding": [len(t), 1.0]} for n, t in enumerate(texts)][::-1]})


def openai(server: Played, **given: object) -> OpenAIEmbedder:
    given.setdefault("patience", Pauses().patience())
    return OpenAIEmbedder("model", base_url=server.url, api_key=KEY, **given)  # type: ignore[arg-type]  # values of a test, by name


def test_vectors_come_in_the_order_of_the_texts_whatever_the_order_of_the_answer(server: Played) -> None:
    server.answers = [vectors]
    assert openai(server).embed_documents(["a", "bb", "ccc"]).tolist() == [[1, 1], [2, 1], [3, 1]]


def test_texts_go_in_batches_with_the_key_in_the_header(server: Played) -> None:
    server.answers = [vectors]
    rows = openai(server, batch_size=2).embed_documents(["a", "bb", "ccc"])
    assert rows.shape == (3, 2)
    assert rows.dtype == np.float32
    assert [body["input"] for _, _, body in server.requests] == [["a", "bb"], ["ccc"]]
    path, headers, body = server.requests[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body == {"model": "model", "input": ["a", "bb"], "encoding_format": "float"}


def test_prefixes_and_a_shorter_dimension_are_sent(server: Played) -> None:
    server.answers = [vectors]
    found = openai(server, dimension=2, document_prefix="doc: ", query_prefix="ask: ")
    assert found.embed_queries(["a"]).tolist() == [[6, 1]]
    assert server.requests[0][2]["dimensions"] == 2
    assert server.requests[0][2]["input"] == ["ask: a"]
    assert (found.info.model_id, found.info.fingerprint) == ("openai:model@2", "openai:model@2|doc: ")
    assert len(server.requests) == 1


def test_the_dimension_is_asked_once(server: Played) -> None:
    server.answers = [vectors]
    found = openai(server)
    assert found.info == found.info
    assert found.info.dimension == 2
    assert len(server.requests) == 1


def test_nothing_is_sent_for_no_texts(server: Played) -> None:
    assert len(openai(server).embed_documents([])) == 0
    assert server.requests == []


def test_key_and_address_come_from_the_environment(server: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/")
    server.answers = [vectors]
    OpenAIEmbedder("model").embed_queries(["a"])
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"


def test_a_server_without_keys_is_asked_without_one(server: Played) -> None:
    server.answers = [vectors]
    OpenAIEmbedder("model", base_url=server.url, api_key="").embed_queries(["a"])
    assert "Authorization" not in server.requests[0][1]


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_server_is_asked_again_with_longer_pauses(server: Played, status: int) -> None:
    pauses = Pauses()
    server.answers = [reply({}, status), reply({}, status), vectors]
    assert openai(server, patience=pauses.patience()).embed_documents(["a"]).tolist() == [[1, 1]]
    assert pauses.taken == [0.5, 1.0]


def test_retry_after_goes_before_our_own_pause_up_to_the_longest(server: Played) -> None:
    pauses = Pauses()
    server.answers = [reply({}, 429, Retry_After="3"), reply({}, 429, Retry_After="9999"), vectors]
    openai(server, patience=pauses.patience(pause_max_s=7)).embed_documents(["a"])
    assert pauses.taken == [3.0, 7.0]


def test_the_tries_are_bounded(server: Played) -> None:
    server.answers = [reply({"error": {"message": "slow down"}}, 429)]
    with pytest.raises(ServerRefusedError, match=r"HTTP 429: slow down \(tries: 4") as caught:
        openai(server).embed_documents(["a"])
    assert caught.value.status == 429
    assert len(server.requests) == 4


def test_a_pause_beyond_the_deadline_is_not_taken(server: Played) -> None:
    pauses = Pauses()
    server.answers = [reply({}, 503, Retry_After="5")]
    with pytest.raises(ServerRefusedError):
        openai(server, patience=pauses.patience(timeout_s=3)).embed_documents(["a"])
    assert pauses.taken == []


@pytest.mark.parametrize(
    ("status", "hint"), [(400, ""), (401, "check the API key"), (404, "check base_url"), (422, "")]
)
def test_a_refusal_is_not_repeated_and_says_what_to_check(server: Played, status: int, hint: str) -> None:
    server.answers = [reply({"error": "no such thing"}, status)]
    with pytest.raises(ServerRefusedError, match="no such thing") as caught:
        openai(server).embed_documents(["a"])
    assert hint in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1


def test_a_redirect_is_refused_so_that_the_key_stays_here(server: Played) -> None:
    server.answers = [reply({}, 307, Location="http://127.0.0.1:9/elsewhere"), vectors]
    with pytest.raises(ServerRefusedError, match="HTTP 307"):
        openai(server).embed_documents(["a"])
    assert len(server.requests) == 1


def test_a_hanging_server_ends_at_the_timeout(server: Played) -> None:
    server.answers = [(0, {}, b"")]
    with pytest.raises(ServerRefusedError, match="no answer in time"):
        openai(server, patience=Patience(timeout_s=0.2)).embed_documents(["a"])
    assert len(server.requests) == 1


def test_an_answer_that_drips_past_the_deadline_is_given_up(server: Played) -> None:
    ticks = iter([0.0, 0.0, *[99.0] * 50])
    server.answers = [vectors]
    with pytest.raises(ServerRefusedError, match="no complete answer in time"):
        openai(server, patience=Patience(timeout_s=5, clock=lambda: next(ticks))).embed_documents(["a"])


def test_a_server_that_is_not_there_is_tried_again_and_named(server: Played) -> None:
    pauses = Pauses()
    gone = OpenAIEmbedder("model", base_url="http://127.0.0.1:1/v1", api_key=KEY, patience=pauses.patience(tries_max=2))
    with pytest.raises(ServerRefusedError) as caught:
        gone.embed_documents(["a"])
    assert caught.value.status == 0
    assert len(pauses.taken) == 1


def test_a_cut_answer_is_tried_again(server: Played) -> None:
    server.answers = [(200, {"Content-Length": "500", "Connection": "close"}, b'{"data'), vectors]
    assert openai(server, patience=Patience(timeout_s=5, pause_s=0)).embed_documents(["a"]).shape == (1, 2)


@pytest.mark.parametrize("payload", [
    {}, [], None, "text", {"data": None}, {"data": []}, {"data": [1]}, {"data": [{"index": 0}]},
    {"data": [{"index": 1, "embedding": [1.0]}]},
    {"data": [{"index": 0, "embedding": "AAAA"}]},
    {"data": [{"index": 0, "embedding": [[1.0]]}]},
    {"data": [{"index": 0, "embedding": []}]},
    {"data": [{"index": 0, "embedding": [None]}]},
    {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]},
    {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]},
])  # fmt: skip
def test_an_answer_of_a_wrong_shape_is_refused(server: Played, payload: object) -> None:
    server.answers = [reply(payload)]
    with pytest.raises(EmbeddingError):
        openai(server).embed_documents(["a"])


@pytest.mark.parametrize("content", [b"", b"<html>", b"\xff\xfe", b'{"data": [{"index": 0, "embedding": [NaN]}]}'])
def test_an_answer_that_is_no_json_or_holds_nan_is_refused(server: Played, content: bytes) -> None:
    server.answers = [(200, {}, content)]
    with pytest.raises(EmbeddingError):
        openai(server).embed_documents(["a"])


def test_another_length_than_before_is_refused(server: Played) -> None:
    server.answers = [vectors, reply({"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0]}]})]
    found = openai(server)
    found.embed_documents(["a"])
    with pytest.raises(EmbeddingError, match="length 3"):
        found.embed_documents(["b"])


@pytest.mark.parametrize("key", ["sk-abc\ndef", "sk-ключ", "a\x00b"])
def test_a_malformed_key_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        OpenAIEmbedder("model", api_key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["", "file:///etc/passwd", "ftp://host", "localhost:8080", "http://", "http://h:99999", "http://h/?q=1"]
)
def test_addresses_that_are_no_server_are_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        checked_base_url(url)


@pytest.mark.parametrize("given", [{"batch_size": 0}, {"dimension": 0}, {"model": " "}])
def test_arguments_out_of_range_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        OpenAIEmbedder(**{"model": "m", **given})  # type: ignore[arg-type]  # values of a test, by name


@pytest.mark.parametrize(
    "given", [{"timeout_s": 0.0}, {"tries_max": 0}, {"pause_s": -1.0}, {"timeout_s": float("nan")}]
)
def test_patience_out_of_range_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        Patience(**given)  # type: ignore[arg-type]  # values of a test, by name


def ollama(server: Played, **given: object) -> OllamaEmbedder:
    given.setdefault("patience", Pauses().patience())
    return OllamaEmbedder("nomic", base_url=server.url.removesuffix("/v1"), **given)  # type: ignore[arg-type]  # values of a test, by name


TAGS = reply({"models": [{"name": "other:latest", "digest": "00"}, {"name": "nomic:latest", "digest": "c0ffee"}]})


def embeddings(body: dict[str, object]) -> Answer:
    texts = body["input"]
    assert isinstance(texts, list)
    return reply({"embeddings": [[len(t), 1.0] for t in texts]})


def test_ollama_is_asked_for_the_digest_once_and_then_for_vectors(server: Played) -> None:
    server.answers = [TAGS, embeddings]
    found = ollama(server, document_prefix="d: ")
    assert found.embed_documents(["a", "bb"]).tolist() == [[4, 1], [5, 1]]
    assert found.embed_queries(["a"]).tolist() == [[1, 1]]
    assert (found.info.model_id, found.info.dimension, found.info.fingerprint) == ("ollama:nomic", 2, "c0ffee|d: ")
    assert [path for path, _, _ in server.requests] == ["/api/tags", "/api/embed", "/api/embed"]


def test_a_model_that_ollama_does_not_list_is_known_by_its_name(server: Played) -> None:
    server.answers = [reply({"models": None}), embeddings]
    assert ollama(server).info.fingerprint == "ollama:nomic|"


def test_a_model_that_is_not_there_says_how_to_get_it(server: Played) -> None:
    server.answers = [TAGS, reply({"error": "model not found"}, 404)]
    with pytest.raises(ServerRefusedError, match="ollama pull nomic"):
        ollama(server).embed_documents(["a"])


@pytest.mark.parametrize("payload", [{}, {"embeddings": []}, {"embeddings": [[1.0], [2.0]]}, {"embeddings": "x"}, []])
def test_a_wrong_answer_of_ollama_is_refused(server: Played, payload: object) -> None:
    server.answers = [TAGS, reply(payload)]
    with pytest.raises(EmbeddingError):
        ollama(server).embed_documents(["a"])


@pytest.mark.parametrize(("host", "url"), [
    ("", "http://127.0.0.1:11434"),
    ("0.0.0.0", "http://127.0.0.1:11434"),
    ("box:8000", "http://box:8000"),
    ("https://box", "https://box:443"),
    ("http://box:1/path/", "http://box:1/path"),
    (":1234", "http://127.0.0.1:1234"),
])  # fmt: skip
def test_ollama_host_is_read_in_its_usual_forms(host: str, url: str) -> None:
    assert _from_environment(host) == url
