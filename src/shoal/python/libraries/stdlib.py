"""The parts of the standard library, and of the usual clients, that block, run threads or make futures."""

from shoal.python.libraries import Library, words

_DATABASE = Library(
    calls={"connect": "db.Connection"},
    methods={"db.Connection": {"cursor": "db.Cursor", "__enter__": "="}, "db.Cursor": {"__enter__": "="}},
    attributes={},
)

LIBRARIES = {
    "argparse": Library(
        calls={"ArgumentParser": "py.Parser"},
        methods={
            "py.Parser": {
                "parse_args": "+py.Arguments",
                "parse_known_args": "+py.KnownArguments",
                **words("add_argument_group add_mutually_exclusive_group", "="),
            }
        },
        attributes={},
    ),
    "threading": Library(
        calls={
            "Thread": "py.Thread",
            "Timer": "py.Thread",
            "Lock": "py.Lock",
            "RLock": "py.Lock",
            "Semaphore": "py.Lock",
            "BoundedSemaphore": "py.Lock",
            "Event": "py.Event",
            "Condition": "py.Condition",
            "Barrier": "py.Barrier",
        },
        methods={},
        attributes={},
    ),
    "queue": Library(
        calls={"Queue": "py.Queue", "LifoQueue": "py.Queue", "PriorityQueue": "py.Queue", "SimpleQueue": "py.Queue"},
        methods={},
        attributes={},
    ),
    "concurrent": Library(
        calls={"ThreadPoolExecutor": "py.Executor", "ProcessPoolExecutor": "py.Executor", "Future": "py.Future"},
        methods={"py.Executor": {"submit": "py.Future", "__enter__": "="}},
        attributes={},
    ),
    "multiprocessing": Library(
        calls={"Process": "py.Process", "Queue": "py.Queue", "JoinableQueue": "py.Queue", "Pool": "py.Pool"}, methods={}, attributes={}
    ),
    "asyncio": Library(
        calls={
            **words("create_task ensure_future", "py.Task"),
            **words("get_event_loop get_running_loop new_event_loop", "py.Loop"),
            "Queue": "py.AsyncQueue",
            "run_coroutine_threadsafe": "py.Future",
            "TaskGroup": "py.TaskGroup",
        },
        methods={
            "py.Loop": {"create_task": "py.Task", "run_in_executor": "py.AsyncFuture"},
            "py.TaskGroup": {"create_task": "py.OwnedTask", "__aenter__": "="},
        },
        attributes={},
    ),
    "subprocess": Library(calls={"Popen": "py.Popen"}, methods={}, attributes={}),
    "requests": Library(
        calls={"Session": "py.HttpSession", "session": "py.HttpSession"}, methods={"py.HttpSession": {"__enter__": "="}}, attributes={}
    ),
    "httpx": Library(
        calls={"Client": "py.HttpxClient", "AsyncClient": "py.HttpxAsyncClient"},
        methods={"py.HttpxClient": {"__enter__": "="}},
        attributes={},
    ),
    # Clients of language models that wait on the thread itself: `client.chat.completions.create(…)`.
    "openai": Library(
        calls={"OpenAI": "model.OpenAI", "AzureOpenAI": "model.OpenAI"},
        methods={"model.OpenAI": {"with_options": "="}},
        attributes={"model.OpenAI": {"*": "model.OpenAI"}},
    ),
    "anthropic": Library(
        calls={"Anthropic": "model.Anthropic"},
        methods={"model.Anthropic": {"with_options": "="}},
        attributes={"model.Anthropic": {"*": "model.Anthropic"}},
    ),
    "redis": Library(
        calls={
            **words("Redis StrictRedis from_url Redis.from_url StrictRedis.from_url", "py.Redis"),
            **words("asyncio.Redis asyncio.StrictRedis asyncio.from_url asyncio.Redis.from_url", "py.AsyncRedis"),
        },
        methods={},
        attributes={},
    ),
    # Clients of databases that wait on the thread itself; the asynchronous ones have other names (`AsyncConnection`, `create_async_engine`, motor).
    **dict.fromkeys(("psycopg2", "psycopg", "pymysql", "MySQLdb", "mysql", "pyodbc"), _DATABASE),
    "sqlalchemy": Library(
        calls={"create_engine": "db.Engine", "Session": "db.Session", "sessionmaker": "db.Sessions"},
        methods={
            "db.Engine": words("connect begin raw_connection", "db.Connection"),
            "db.Sessions": {"__call__": "db.Session"},
            "db.Session": {"__enter__": "="},
        },
        attributes={},
    ),
    "neo4j": Library(
        calls={"GraphDatabase.driver": "neo4j.Driver"},
        methods={
            "neo4j.Driver": {"session": "neo4j.Session", "__enter__": "="},
            "neo4j.Session": {"__enter__": "=", "begin_transaction": "neo4j.Session"},
        },
        attributes={},
    ),
    "cassandra": Library(
        calls={"Cluster": "cassandra.Cluster", "Session": "cassandra.Session"},
        methods={"cassandra.Cluster": {"connect": "cassandra.Session"}},
        attributes={},
    ),
    "clickhouse": Library(
        calls={"get_client": "clickhouse.Client", "create_client": "clickhouse.Client", "Client": "clickhouse.Client"},
        methods={"clickhouse.Client": {"__enter__": "="}},
        attributes={},
    ),
    "pymongo": Library(
        calls={"MongoClient": "mongo.Client"},
        methods={
            "mongo.Client": words("get_database get_default_database", "mongo.Database"),
            "mongo.Database": {"get_collection": "mongo.Collection"},
        },
        attributes={
            "mongo.Client": {"*": "mongo.Database"},
            "mongo.Database": {"*": "mongo.Collection"},
            "mongo.Collection": {"*": "mongo.Collection"},
        },
    ),
    "boto3": Library(
        calls={"client": "aws.Client", "Session": "aws.Session"}, methods={"aws.Session": {"client": "aws.Client"}}, attributes={}
    ),
    "apscheduler": Library(calls={"BackgroundScheduler": "py.Scheduler"}, methods={}, attributes={}),
    "grpc": Library(
        calls={"insecure_channel": "py.GrpcChannel", "secure_channel": "py.GrpcChannel", "aio.insecure_channel": "py.GrpcAsyncChannel"},
        methods={},
        attributes={},
    ),
}
