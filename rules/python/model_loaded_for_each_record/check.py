"""Models, tokenizers and dictionaries that are read from disk, or fetched, in per-record code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import per_record
from shoal.python.tree import Call

_LOADERS = pattern(
    r"(transformers|diffusers|sentence_transformers|peft)\.([\w.]+\.)?\w+\.from_pretrained|transformers\.pipeline"
    r"|sentence_transformers\.(SentenceTransformer|CrossEncoder)|spacy\.load|(\w+\.)*joblib\.load|torch\.(load|jit\.load|hub\.load)"
    r"|(tensorflow\.)?keras\.(\w+\.)*load_model|tensorflow\.saved_model\.load|tensorflow\.lite\.Interpreter|onnxruntime\.InferenceSession"
    r"|mlflow\.\w+\.load_model|gensim\.([\w.]+\.)?[A-Z]\w+\.load(_\w+)?|(fasttext|whisper)\.load_model|flair\.[\w.]+\.load|ultralytics\.YOLO"
    r"|easyocr\.Reader|llama_cpp\.Llama|cv2\.(CascadeClassifier|dnn\.readNet\w*)|geoip2\.database\.Reader|presidio_analyzer\.AnalyzerEngine"
    r"|(nltk\.sentiment\.(vader\.)?|vaderSentiment\.(vaderSentiment\.)?)SentimentIntensityAnalyzer|nltk\.download"
)
# What gives a model that runs on a whole frame.
_OF_FRAMES = pattern(r"pyspark\.ml\.([\w.]+\.)?[A-Z]\w+\.load|mlflow\.\w+\.(load_model|spark_udf)|sparknlp\.(\w+\.)*PretrainedPipeline")
_PICKLES = frozenset({"pickle.load", "cloudpickle.load", "dill.load"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, where in per_record.calls(module):
        name = module.qualified(call)
        if _LOADERS.fullmatch(name) or (name in _PICKLES and _beside(module, call, "open")):
            if _beside(module, call, "BytesIO"):
                continue  # decodes what the record holds
            message = f"{name} runs {where}: what it loads is read anew each time, which takes longer than anything that is done with it"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call, where in module.contexts.calls("foreach-batch", "rdd"):
        name = module.qualified(call)
        if (_OF_FRAMES.fullmatch(name) or _LOADERS.fullmatch(name)) and per_record.surely(module, call, where):
            message = f"{name} runs for each batch: what it loads is read anew each time (once above the query is enough, unless another job replaces it)"
            yield context.finding(message, module.call_place(call), severity="info", confidence="low", covers=[module.covers(call)])


def _beside(module: Any, call: Call, name: str) -> bool:
    """Whether the function that the call stands in calls something of this name, too."""
    return any(other.name.rpartition(".")[2] == name and other.function is call.function for other in module.named(name))
