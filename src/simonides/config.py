"""What can be set, and what is it when nobody sets it? Every default once, with unit and reason.

Settings come from keyword arguments, a TOML or YAML file, or nowhere; all three end in the same frozen values.
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, TypeVar, Union, get_args, get_origin, get_type_hints

from simonides.config_checks import choice, flag, number, whole
from simonides.config_upkeep import ConflictsConfig as ConflictsConfig
from simonides.config_upkeep import ConsolidationConfig as ConsolidationConfig
from simonides.config_upkeep import HygieneConfig as HygieneConfig
from simonides.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")
FILE_BYTES_MAX = 1 << 20
MAX_OF_STORE = "max_of_store"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchConfig:
    """The weighted five-signal ranking. Weights are relative: what counts is each one's share of the active sum.

    Raises ConfigError for anything that is not finite, negative, or out of the range named here.
    """

    default_fts_weight: float = 0.30
    default_vector_weight: float = 0.55
    default_recency_weight: float = 0.10
    default_priority_weight: float = 0.05
    default_graph_weight: float = 0.0  # opt-in: it reads the edges of the whole pool
    fts_top_k: int = 50  # candidates of the text leg, raised to top_k
    vector_top_k: int = 50  # candidates of the vector leg, raised to top_k
    recency_half_life: float = 50.0  # cycles
    recency_now_half_life: float = 604_800.0  # seconds: a week
    recency_field: str = "updated_at"  # or occurred_at: an import makes every row equally new
    graph_edge_decay: float = 0.5  # per hop
    max_neighbors_per_candidate: int = 5
    graph_expansion_enabled: bool = True
    graph_expansion_top_n: int = 5  # reflections followed
    graph_expansion_propagation_factor: float = 0.7
    graph_expansion_max_sources_per_reflection: int = 20
    graph_expansion_reflection_source_ceiling: int = 50  # a reflection of more sources is a hub
    include_reflections: bool = True
    reflection_boost: float = 1.0
    reflection_topk_cap: float = 0.3  # share of top_k; 1.0 switches the cap off
    collapse_pool_factor: int = 4

    def __post_init__(self) -> None:
        weights = [f.name for f in fields(self) if f.name.endswith(("_weight", "_boost", "_factor", "_decay"))]
        for name in weights:
            number(name, getattr(self, name), low=0.0)
        for name in ("recency_half_life", "recency_now_half_life"):
            number(name, getattr(self, name), low=0.0, above=True, infinite=True)
        for name in ("fts_top_k", "vector_top_k", "collapse_pool_factor"):
            whole(name, getattr(self, name), low=1)
        for name in ("max_neighbors_per_candidate", "graph_expansion_top_n"):
            whole(name, getattr(self, name), low=0)
        for name in ("graph_expansion_max_sources_per_reflection", "graph_expansion_reflection_source_ceiling"):
            whole(name, getattr(self, name), low=0)
        for name in ("graph_expansion_enabled", "include_reflections"):
            flag(name, getattr(self, name))
        number("reflection_topk_cap", self.reflection_topk_cap, low=0.0, high=1.0)
        choice("recency_field", self.recency_field, ("updated_at", "occurred_at", "created_at"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallConfig:
    """The everyday ranking: `recall`."""

    # What the vector leg gets of the two legs' weight. None: 0.25 with the built-in table, 0.35 with a sentence
    # model or given vectors. Words decide, meaning helps: measured on five sets.
    vector_weight: float | None = None
    leg_top_k: int = 100  # candidates of each leg, raised to top_k
    second_look: bool = True  # ask again from the best hit: helps questions of two steps
    # What is left of the score of a hit whose words are nearly those of a better one; 1.0: nobody looks.
    alike_factor: float = 1.0
    alike_share: float = 0.8  # of the distinct words of two texts that both have, from which they are alike

    def __post_init__(self) -> None:
        if self.vector_weight is not None:
            number("vector_weight", self.vector_weight, low=0.0, high=1.0)
        number("alike_factor", self.alike_factor, low=0.0, high=1.0)
        number("alike_share", self.alike_share, low=0.0, high=1.0, above=True)
        whole("leg_top_k", self.leg_top_k, low=1)
        flag("second_look", self.second_look)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveConfig:
    """Reciprocal rank fusion: `retrieve`."""

    rrf_k: int = 60  # the constant of the paper: Cormack, Clarke, Büttcher, SIGIR 2009
    fts_weight: float = 1.0
    vector_weight: float = 1.0
    leg_top_k: int = 100  # candidates of each leg
    recency_boost: float = 0.0
    recency_field: str = "updated_at"
    max_units: int = 10  # when no budget is given

    def __post_init__(self) -> None:
        whole("rrf_k", self.rrf_k, low=0)
        for name in ("fts_weight", "vector_weight", "recency_boost"):
            number(name, getattr(self, name), low=0.0)
        whole("leg_top_k", self.leg_top_k, low=1)
        whole("max_units", self.max_units, low=1)
        choice("recency_field", self.recency_field, ("updated_at", "occurred_at", "created_at"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicsConfig:
    """The topic tree, which large namespaces are searched through."""

    beam_width: int | None = None  # topics kept per round; None: the tree's own width, which a check sets to the goal
    beam_width_max: int = 1_024  # how far a filter, or a long list, may widen the beam
    max_depth: int | None = None  # the last round, from 0, of the beam; None: down to the leaves
    recall_goal: float = 0.9  # recall@10 that a check adapts the width to

    def __post_init__(self) -> None:
        for name, low in (("beam_width", 1), ("max_depth", 0)):
            value = getattr(self, name)
            if value is not None:
                whole(name, value, low=low)
        whole("beam_width_max", self.beam_width_max, low=1)
        number("recall_goal", self.recall_goal, low=0.0, high=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextConfig:
    """How text is analysed and scored."""

    language: str | None = "english"  # a Snowball language, or None: no stems
    stop_words: bool = True
    terms_max: int = 64  # distinct query terms scored; the rarest are kept
    k1: float = 1.2  # saturation of repeated words
    b: float = 0.6  # how much a long text pays
    essence_weight: float = 1.0  # a word of the essence against one of the content

    def __post_init__(self) -> None:
        flag("stop_words", self.stop_words)
        whole("terms_max", self.terms_max, low=1)
        number("k1", self.k1, low=0.0)
        number("b", self.b, low=0.0, high=1.0)
        number("essence_weight", self.essence_weight, low=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingConfig:
    """How long embedding may take and how much goes into one call."""

    query_deadline_s: float = 5.0  # then recall answers from text alone and says so
    write_deadline_s: float = 30.0  # then remember stores the text and marks the vector pending
    batch: int = 256

    def __post_init__(self) -> None:
        number("query_deadline_s", self.query_deadline_s, low=0.0, above=True)
        number("write_deadline_s", self.write_deadline_s, low=0.0, above=True)
        whole("batch", self.batch, low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreConfig:
    """How the file is opened and written."""

    busy_timeout_s: float = 30.0  # how long a writer waits for another process
    synchronous: str = "FULL"  # FULL survives a power cut, NORMAL a killed process
    cache_mb: int = 64  # page cache per connection
    lexicon_cache_mb: int = 256  # decoded postings per namespace
    chunk: int = 1_000  # thoughts per transaction of a bulk verb

    def __post_init__(self) -> None:
        number("busy_timeout_s", self.busy_timeout_s, low=0.0)
        choice("synchronous", self.synchronous, ("FULL", "NORMAL"))
        for name in ("cache_mb", "lexicon_cache_mb", "chunk"):
            whole(name, getattr(self, name), low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditConfig:
    """What is kept of questions and answers: the retrieval log."""

    mode: str = "async"  # or sync: written before the verb returns; off: nothing is kept
    text: bool = True  # False leaves out query texts and vectors: they are personal data
    retention_days: float = 30.0
    retention_rows: int = 100_000
    window_ms: float = 250.0  # rows gathered for one commit; a killed process loses no more than this
    queue_max: int = 10_000  # rows that wait in memory; more are counted and lost

    def __post_init__(self) -> None:
        choice("mode", self.mode, ("async", "sync", "off"))
        flag("text", self.text)
        number("retention_days", self.retention_days, low=0.0, above=True, high=36_500.0)
        number("window_ms", self.window_ms, low=0.0, high=60_000.0)
        for name in ("retention_rows", "queue_max"):
            whole(name, getattr(self, name), low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseConfig:
    """Which file `Store.from_config` opens; a relative path is relative to the configuration file."""

    path: str | None = None
    namespace: str = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings. `cycle_provider` answers "which cycle is it?" when a search names no reference itself: a fixed
    number, a function, or "max_of_store" for the newest `updated_cycle` in scope. `token_counter` counts the tokens of
    a text for budgets; without one they are estimated."""

    search: SearchConfig = field(default_factory=SearchConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    retrieve: RetrieveConfig = field(default_factory=RetrieveConfig)
    topics: TopicsConfig = field(default_factory=TopicsConfig)
    text: TextConfig = field(default_factory=TextConfig)
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    audit: AuditConfig = field(default_factory=AuditConfig)
    conflicts: ConflictsConfig = field(default_factory=ConflictsConfig)
    consolidation: ConsolidationConfig = field(default_factory=ConsolidationConfig)
    hygiene: HygieneConfig = field(default_factory=HygieneConfig)
    cycle_provider: Callable[[], int] | int | str | None = None
    token_counter: Callable[[str], int] | None = None
    database: DatabaseConfig = field(default_factory=DatabaseConfig)

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(f.default_factory, type) and not isinstance(value, f.default_factory):
                raise ConfigError(f"{f.name} is {type(value).__name__}; expected {f.default_factory.__name__}")
        provider = self.cycle_provider
        fixed = isinstance(provider, int) and not isinstance(provider, bool)
        if not (provider is None or fixed or provider == MAX_OF_STORE or callable(provider)):
            raise ConfigError(
                f"cycle_provider is {provider!r}; expected a whole number, {MAX_OF_STORE!r} or a function"
            )
        if self.token_counter is not None and not callable(self.token_counter):
            raise ConfigError(f"token_counter is {self.token_counter!r}; expected a function from text to a number")


ANSWERING = ("search", "recall", "retrieve", "topics", "text", "embedding")  # groups that an answer can depend on


def answering(config: Config) -> dict[str, object]:
    """The settings that an answer can depend on, as plain values: group.setting → value; functions by their name."""
    found: dict[str, object] = {}
    for group in ANSWERING:
        values = getattr(config, group)
        found |= {f"{group}.{f.name}": getattr(values, f.name) for f in fields(values)}
    for name in ("cycle_provider", "token_counter"):
        value = getattr(config, name)
        found[name] = f"{value.__module__}.{value.__qualname__}" if hasattr(value, "__qualname__") else value
    return {
        name: value if value is None or isinstance(value, (bool, int, float, str)) else repr(type(value))
        for name, value in found.items()
    }


def load_config(path: str | os.PathLike[str]) -> Config:
    """Settings from a .toml, .yaml or .yml file. Unknown keys are refused, with the nearest known one named."""
    import tomllib
    from pathlib import Path

    file = Path(path)
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{str(file)!r} cannot be read: {error.strerror}") from None
    if len(raw) > FILE_BYTES_MAX:
        raise ConfigError(f"{str(file)!r} has {len(raw)} bytes; a configuration may have {FILE_BYTES_MAX}")
    if file.suffix == ".toml":
        try:
            values: object = tomllib.loads(raw.decode())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{str(file)!r} is not TOML: {error}") from None
    elif file.suffix in (".yaml", ".yml"):
        values = _yaml(raw, file)
    else:
        raise ConfigError(f"{str(file)!r}: unknown kind of configuration", hint="use .toml, .yaml or .yml")
    return config_from(values)


def config_from(values: object) -> Config:
    """Settings from plain mappings, e.g. {"search": {"default_graph_weight": 0.1}}."""
    return _build(Config, {} if values is None else values, "")


def _yaml(raw: bytes, file: Path) -> object:
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("a YAML configuration", "yaml") from None
    try:
        return yaml.safe_load(raw)
    except yaml.YAMLError as error:
        raise ConfigError(f"{str(file)!r} is not YAML: {error}") from None


def _build(kind: type[T], values: object, where: str) -> T:
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where or 'the configuration'} is {type(values).__name__}; expected a table of settings")
    assert is_dataclass(kind)
    hints = get_type_hints(kind)
    given: dict[str, object] = {}
    for key, value in values.items():
        name = f"{where}.{key}" if where else str(key)
        if key not in hints:
            import difflib

            near = difflib.get_close_matches(str(key), hints, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known ones: {', '.join(hints)}"
            raise ConfigError(f"unknown setting {name!r}", hint=hint)
        hint = hints[key]
        nested = isinstance(hint, type) and is_dataclass(hint)
        given[key] = _build(hint, value, name) if nested else _typed(hint, value, name)
    return kind(**given)


def _typed(hint: object, value: object, name: str) -> object:
    allowed = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    allowed = tuple(kind for kind in allowed if isinstance(kind, type))
    if float in allowed and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not any(type(value) is kind for kind in allowed):
        names = " or ".join(getattr(kind, "__name__", str(kind)) for kind in allowed)
        raise ConfigError(f"{name} is {value!r}; expected {names}")
    return value
