"""What an agent or the loop of a consumer keeps in a list, set or dict of the process, while offsets are committed behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.python import clients
from shoal.python.flow import endless
from shoal.python.tree import Call, Function, beginning, descend, dotted, key_of, last_name, targets
from shoal.python.values import names

_KEEPS = names("append extend add appendleft setdefault update insert")
_EMPTY = names("list set dict deque defaultdict Counter OrderedDict")
# What takes apart a record, looks after the consumer or tells people of it: all others may write what came somewhere.
_TELLS = names(
    "print debug info warning warn error exception critical log len str int float bool isinstance get items keys values loads decode dumps format strip split "
    "split lower upper join sorted max min sum round abs range enumerate zip list set dict tuple poll consume getone getmany commit value key topic partition offset "
    "timestamp headers code time now utcnow monotonic perf_counter strftime strptime isoformat fromtimestamp KafkaException KafkaError ValueError TypeError "
    "KeyError RuntimeError Exception startswith endswith replace getattr hasattr super is_set sleep total_seconds copy encode"
)
# Others write where nobody looks at what they give, or where they are called so.
_WRITES = pattern(
    r"execute|insert|update|upsert|replace|write|save|store|send|produce|publish|post|put|push|index|bulk|upload|dump|to_|xadd|^[hlz]?set$"
)
_MOST = 60
# What keeps the ids of records that came, and what these ids are called: neither users nor cameras, of which there are only so many.
_NOTED = pattern(r"(?i)seen|process|handled|dedup|duplicate|already|consumed|delivered|done")
_OF_A_RECORD = pattern(
    r"(?i)(?:event|message|msg|record|order|transaction|trans|txn|tx|trade|payment|request|req|click|alert|correlation|idempotency|dedup\w*|delivery|post|tweet|article)"
    r"_?(?:id|uuid|key|hash)|uuid|fingerprint|digest|idempotency|offset"
)
_LIMIT = pattern(r"(?i)(?:>=?|==)\s*\S*(?:max|limit|count|total|\bn\b|num|[A-Z_]{3,}|expected|\d)")
_FRUITLESS = pattern(r"(?i)empty|idle|error|fail|retr|attempt")
# How often a record has failed is nothing that it says.
_FAILURES = pattern(r"(?i)retr(?:y|ies)|attempt|tries|fail|error")
_LOOKS = names("len print str repr format info debug sorted list")
_EMPTIED = r"\b{0}\s*\.\s*(?:clear|discard|remove|pop|popitem|update|\w*_update)\s*\(|\bdel\s+[\w.]*\b{0}\b|\blen\(\s*[\w.]*\b{0}\s*\)\s*(?:[<>=!]|%|//)|\b{0}\s*[-&|]=|[<>]=?\s*len\([\w.]*\b{0}\b"
# What takes rows out of a frame, or asks how many there are.
_SHORTENED = r"\b{0}\s*\.\s*(?:drop|drop_duplicates|truncate|pop)\s*\(|\bdel\s+{0}\b|\blen\(\s*{0}\s*\)\s*(?:[<>=!]|%|//)|\b{0}\.shape\[0\]\s*[<>=!%]"
_TAKES = pattern(r"(?i)consumer|consume_|\.poll\(|\.getone\(")
_STEPS = (cst.Attribute, cst.Subscript)


def check(job: Job, context: Context) -> Iterator[Finding]:
    yield from _agents(context)
    yield from _loops(context)
    yield from _seen(context)
    yield from _piled(context)
    yield from _frames(context)


def _agents(context: Context) -> Iterator[Finding]:
    """Containers of the module that a Faust agent fills."""
    module = context.module
    for function, where in module.contexts.running("agent"):
        if where.engine != "faust" or where.through:
            continue
        counted = None
        for call in function.calls:
            name = _name(call.receiver_node)
            if call.name not in ("append", "extend", "appendleft") or call.use != "dropped" or not _taken(call.spot):
                continue
            found = _taker(module, function, name) if _of_module(module, function, name) else None
            if found is not None:
                taker, place = found
                message = f"events wait in {name} until {taker.qualname}() takes them, and Faust commits their offsets meanwhile: those that wait at a crash, a redeploy or a rebalance are lost (stream.take(…, within=…), or a Table)"
                related = [(place, "emptied here")]
                yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
                break
        else:
            counted = _counted(module, function)
        if counted is not None:
            statement, name = counted
            message = f"the totals in {name} are in this worker's memory alone, and the offsets of what they count are committed: they begin anew at each start, and stay behind when a partition moves (app.Table)"
            yield context.finding(message, module.place(statement.node.target, statement.spot), confidence="low")


def _name(node: Any) -> str:
    """The variable that an expression like `rows`, `rows[key]` or `state.rows` is part of."""
    return beginning(node, _STEPS)


def _taken(spot: Any) -> bool:
    """Whether this is done for each event."""
    return any(isinstance(loop, cst.For) and loop.asynchronous is not None for loop in spot.loops)


def _of_module(module: Any, function: Function, name: str) -> bool:
    """Whether a name in a function is a list, set or dict of the module, empty at first."""
    if not name or (name in function.scope.bindings and name not in function.scope.uses_globals):
        return False
    bindings = module.tree.root.bindings.get(name, ())
    return any(binding.kind == "assign" and binding.spot.function is None and _empty(binding.node) for binding in bindings)


def _empty(node: Any) -> bool:
    if isinstance(node, (cst.List, cst.Dict)):
        return not node.elements
    return isinstance(node, cst.Call) and beginning(node.func) != "" and last_name(node.func) in _EMPTY


def _taker(module: Any, function: Function, name: str) -> tuple[Function, Place] | None:
    """Another function of the module that empties a container of it, or puts another in its place; and where."""
    for call in module.named("clear", "popitem", "popleft", "pop"):
        if call.function not in (None, function) and _name(call.receiver_node) == name and name not in call.function.scope.bindings:
            return call.function, module.call_place(call)
    for binding in module.tree.root.bindings.get(name, ()):
        at = binding.spot.function
        if at not in (None, function) and binding.kind in ("assign", "unpack"):
            return at, module.place(binding.node, binding.spot)
    return None


def _counted(module: Any, function: Function) -> tuple[Any, str] | None:
    """The statement that adds to an entry of a dict of the module, whose key comes from the event."""
    for statement in module.tree.statements:
        node = statement.node
        if statement.spot.function is not function or not isinstance(node, cst.AugAssign) or not _taken(statement.spot):
            continue
        name = _name(node.target)
        if isinstance(node.target, cst.Subscript) and not _fixed(node.target) and _of_module(module, function, name):
            return statement, name
    return None


def _fixed(node: cst.Subscript) -> bool:
    """Whether an entry is named in the code: a counter of what the program does, not of what its records say."""
    return isinstance(key_of(node), (cst.SimpleString, cst.Integer))


def _loops(context: Context) -> Iterator[Finding]:
    """Commits in the loop of a consumer whose records become entries of containers made before it."""
    module = context.module
    for commit in reversed(module.named("commit")):
        loop = commit.spot.loop
        if loop is None or _batched(commit, loop) or not any(obj.type in clients.CONSUMERS for obj in module.receivers(commit)):
            continue
        inside = [call for call in module.calls if any(arm.test is loop for arm in call.spot.arms)]
        scope = commit.spot.scope
        made = {name for name in scope.bindings if _made(scope, name) and not _FAILURES.search(name)}
        bodies = [(loop.body, made), *_helpers(module, inside, made)]
        calls = [
            *inside,
            *(call for body, _ in bodies for call in module.calls if call.function is not None and call.function.body is body),
        ]
        alone = not any(_writes(module, call) for call in calls)
        if not any(_entries(body, holders) for body, holders in bodies) or _seeks(module):
            continue
        if alone or any(_removed(body, holders) for body, holders in bodies):
            where = "in this process's memory and nowhere else" if alone else "in this process's memory, to wait for other records"
            message = f"the offset is committed while what the record says is {where}: after a restart it is gone, and is never read again"
            yield context.finding(message, module.call_place(commit), confidence="low", covers=[module.covers(commit)])
            return


def _seen(context: Context) -> Iterator[Finding]:
    """Ids of records that an endless loop over a consumer notes, to pass over those that come again, and never forgets."""
    module = context.module
    loops = _endless(module)
    reached = {id(body) for body, _ in _helpers(module, module.tree.calls_in(loops), set())} if loops else set()
    for statement in module.tree.statements if loops else ():
        node, function = statement.node, statement.spot.function
        if not isinstance(node, cst.If):
            continue
        inside = clients.in_loops(statement.spot, loops)
        if not inside and (function is None or id(function.body) not in reached):
            continue
        for asked in descend(node.test):
            found = _asked(asked)
            noted = _noted(module, statement, *found) if found is not None else None
            if found is None or noted is None or not _lasts(module, statement.spot, found[1], loops):
                continue
            name = cst.Module([]).code_for_node(found[1])
            message = (
                f"{name} grows with each record and is never emptied: memory goes on growing, and after a restart it is empty, "
                "so that records which are delivered again count twice (keep the ids where the results are, or forget old ones)"
            )
            yield context.finding(message, noted, [(module.place(asked, statement.spot), "asked for each record")], confidence="low")
            return


def _piled(context: Context) -> Iterator[Finding]:
    """Lists that an endless loop over a consumer puts each record into, and nothing ever shortens."""
    module = context.module
    if "consumer_timeout_ms" in module.raw:
        return  # the loop ends when the topic is quiet
    loops = _endless(module)
    rounds = _rounds(module)
    for call in module.named("append", "extend") if loops or rounds else ():
        holder, loop = call.receiver_node, call.spot.loop
        each_round = loop is None and isinstance(holder, cst.Attribute) and call.function in rounds
        if call.use != "dropped" or len(call.node.args) != 1 or not isinstance(holder, (cst.Name, cst.Attribute)):
            continue
        if not each_round and (
            id(loop) not in loops or any(isinstance(part, (cst.Break, cst.Return, cst.Yield)) for part in descend(loop.body))
        ):
            continue
        name = last_name(holder)
        cut = re.search(rf"\b{re.escape(name)}\s*\[[^\]\n]*:[^\]\n]*\]\s*=[^=]", module.raw)
        if cut is None and _lasts(module, call.spot, holder, loops, lists=True):
            message = (
                f"{name} grows with each record, and nothing ever takes one out: memory goes on growing until the process is killed "
                "(collections.deque(maxlen=…) keeps the last ones)"
            )
            yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])
            return


def _frames(context: Context) -> Iterator[Finding]:
    """Frames of pandas that get a row for each record in a loop without an end, and never lose one."""
    module = context.module
    if "pandas" not in module.raw or not _TAKES.search(module.raw):
        return
    taking = _endless(module)
    said: set[str] = set()
    for statement in module.tree.statements:
        node, spot = statement.node, statement.spot
        name = _lengthened(node) if isinstance(node, cst.Assign) else ""
        loop = next((loop for loop in spot.loops if endless(loop) or id(loop) in taking), None) if name else None
        if loop is None or name in said or any(isinstance(part, (cst.Break, cst.Return)) for part in descend(loop.body)):
            continue
        others = [
            other
            for other in module.tree.statements
            for target in targets(other.node)
            if name in (dotted(target), *clients.target_names(target))
        ]
        outside = [other for other in others if loop not in other.spot.loops]
        if not outside or any(other is not statement and not _lengthened(other.node) for other in others if other not in outside):
            continue
        if re.search(_SHORTENED.format(re.escape(name)), module.raw):
            continue
        message = f"{name} gets a row for each record, and nothing ever takes one out: each row copies or searches all that are there, and memory goes on growing until the process is killed (keep the last ones: tail(…), or a deque)"
        said.add(name)
        yield context.finding(message, module.place(node, spot), confidence="low")


def _lengthened(node: Any) -> str:
    """The frame in `rows.loc[len(rows)] = …`, `rows = pd.concat([rows, …])` and `rows = rows.append(…)`; empty for anything else."""
    if not isinstance(node, cst.Assign) or len(node.targets) != 1:
        return ""
    target, value = node.targets[0].target, node.value
    if isinstance(target, cst.Subscript):
        key = key_of(target)
        rows = target.value.value if isinstance(target.value, cst.Attribute) and target.value.attr.value == "loc" else None
        counted = key.args[0].value if isinstance(key, cst.Call) and last_name(key.func) == "len" and len(key.args) == 1 else None
        return dotted(rows) if rows is not None and counted is not None and dotted(rows) == dotted(counted) else ""
    name = dotted(target)
    if not name or not isinstance(value, cst.Call) or not value.args:
        return ""
    if last_name(value.func) == "append":
        return name if isinstance(value.func, cst.Attribute) and dotted(value.func.value) == name else ""
    parts: Any = value.args[0].value
    joined = last_name(value.func) == "concat" and isinstance(parts, (cst.List, cst.Tuple))
    return name if joined and any(dotted(part.value) == name for part in parts.elements) else ""


def _rounds(module: Any) -> set[Function]:
    """Functions that poll a consumer once, and that a loop of the module calls for ever."""
    found = set()
    for call in module.named("poll", "getone"):
        if call.function is None or call.spot.loops or module.receiver_type(call) not in clients.CONSUMERS:
            continue
        around = [loop for site in module.call_sites(call.function) for loop in site.spot.loops[-1:]]
        if any(endless(loop) and not clients.left(loop) for loop in around):
            found.add(call.function)
    return found


def _endless(module: Any) -> set[int]:
    """Ids of the loops in which records of a consumer are taken for ever."""
    taking = clients.all_record_loops(module)
    for call in module.named("poll", "getone", "getmany"):  # a consumer that another module makes is known by its name alone
        if "consumer" in last_name(call.receiver_node).lower() and "kafka" in module.raw.lower():
            taking |= {id(loop) for loop in call.spot.loops}
    found = set()
    for statement in module.tree.statements:
        node = statement.node
        if id(node) not in taking or any(_enough_of(part) for part in descend(node.body)):
            continue
        if isinstance(node, cst.While):
            test = node.test
            if not (isinstance(test, cst.Comparison) and isinstance(test.comparisons[0].operator, (cst.LessThan, cst.LessThanEqual))):
                found.add(id(node))
        elif not (isinstance(node.iter, cst.Call) and last_name(node.iter.func) in ("range", "enumerate", "islice")):
            found.add(id(node))
    return found


def _enough_of(node: Any) -> bool:
    """Whether a statement leaves a loop once some number of records came; not of those that did not."""
    if not isinstance(node, cst.If) or not any(isinstance(part, (cst.Break, cst.Return)) for part in descend(node.body)):
        return False
    test = cst.Module([]).code_for_node(node.test)
    return _LIMIT.search(test) is not None and not _FRUITLESS.search(test)


def _asked(node: Any) -> tuple[Any, Any] | None:
    """The id and the container of `id in seen`, by what both are called."""
    if (
        not isinstance(node, cst.Comparison)
        or len(node.comparisons) != 1
        or not isinstance(node.comparisons[0].operator, (cst.In, cst.NotIn))
    ):
        return None
    key, holder = node.left, node.comparisons[0].comparator
    holder_name, key_name = last_name(holder), cst.Module([]).code_for_node(key)
    return (key, holder) if holder_name and _NOTED.search(holder_name) and _OF_A_RECORD.search(key_name) else None


def _noted(module: Any, statement: Any, key: Any, holder: Any) -> Any:
    """The place where the same function puts the id into the container, or one that it gives the id to; None for none."""
    function = statement.spot.function
    for call in module.named("add"):
        if len(call.node.args) != 1:
            continue
        here = call.function is function and _same(call.receiver_node, holder, call.node.args[0].value, key)
        if here or any(
            site.function is function and _same(call.receiver_node, holder, given, key) for site, given in _handed(module, call)
        ):
            return module.call_place(call)
    for other in module.tree.statements:
        if other.spot.function is function and isinstance(other.node, cst.Assign):
            target: Any = other.node.targets[0].target
            index = target.slice[0].slice if isinstance(target, cst.Subscript) else None
            if isinstance(index, cst.Index) and _same(target.value, holder, index.value, key):
                return module.place(target, other.spot)
    return None


def _handed(module: Any, call: Call) -> Iterator[tuple[Call, Any]]:
    """Who calls the function that adds a parameter of its own, and what each of them gives for it."""
    function, entry = call.function, call.node.args[0].value
    param = function.param(entry.value) if function is not None and isinstance(entry, cst.Name) else None
    for site in module.call_sites(function) if param is not None else ():
        if (given := module.given(site, function, param)) is not None:
            yield site, given


def _same(container: Any, holder: Any, entry: Any, key: Any) -> bool:
    return container is not None and container.deep_equals(holder) and entry.deep_equals(key)


def _lasts(module: Any, spot: Any, holder: Any, loops: set[int], lists: bool = False) -> bool:
    """Whether a container is made empty once, before the loop, and nothing ever takes anything out of it, nor may."""
    name = last_name(holder)
    raw = module.raw
    if re.search(_EMPTIED.format(re.escape(name)), raw):
        return False
    bound = [(statement, target) for statement in module.tree.statements for target in targets(statement.node) if last_name(target) == name]
    made = [statement for statement, target in bound if isinstance(target, type(holder))]
    if any(statement not in made and last_name(statement.node.value) == name for statement, _ in bound if hasattr(statement.node, "value")):
        return False  # `rows = self.rows`
    if len(made) != 1 or not _empty(made[0].node.value) or made[0].spot.in_loop():
        return False
    if lists and not isinstance(made[0].node.value, cst.List):
        return False
    others = [arg.value for call in module.calls if call.name not in _LOOKS for arg in call.node.args]
    return not any(last_name(other) == name and isinstance(other, type(holder)) for other in others)


def _made(scope: Any, name: str) -> bool:
    """Whether a name is bound to an empty container, and never in a loop."""
    bindings = scope.bindings[name]
    return not any(binding.spot.in_loop() for binding in bindings) and any(_empty(binding.node) for binding in bindings)


def _helpers(module: Any, calls: list[Call], holders: set[str]) -> Iterator[tuple[Any, set[str]]]:
    """The bodies of the functions that these calls run, and those that they call in turn, with what they call the containers they are given."""
    seen: set[int] = set()
    waiting = [(call, holders) for call in calls]
    while waiting and len(seen) < _MOST:
        call, given = waiting.pop(0)
        function = module.target(call)
        if function is None or id(function) in seen or function.is_lambda:
            continue
        seen.add(id(function))
        own = set()
        for param in function.params:
            node = module.given(call, function, param)
            if isinstance(node, cst.Name) and node.value in given:
                own.add(param.name)
        yield function.body, own
        waiting += [(inner, own) for inner in function.calls]


def _entries(body: Any, holders: set[str]) -> bool:
    """Whether entries named by what came are put into one of these containers."""
    for node in descend(body) if holders else ():
        if isinstance(node, (cst.Assign, cst.AugAssign)):
            targets = [one.target for one in node.targets] if isinstance(node, cst.Assign) else [node.target]
            if any(isinstance(target, cst.Subscript) and not _fixed(target) and _name(target) in holders for target in targets):
                return True
        elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _KEEPS:
            first = node.args[0].value if node.args else None
            if _name(node.func.value) in holders and first is not None and not isinstance(first, (cst.SimpleString, cst.Integer)):
                return True
    return False


def _removed(body: Any, holders: set[str]) -> bool:
    """Whether single entries are taken out again by their keys, as what waits for its counterpart is: a batch goes as a whole."""
    for node in descend(body) if holders else ():
        taken = None
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "pop":
            keyed = bool(node.args) and not isinstance(node.args[0].value, (cst.Integer, cst.UnaryOperation))
            taken = node.func.value if keyed else None
        elif isinstance(node, cst.Del) and isinstance(node.target, cst.Subscript):
            taken = None if isinstance(node.target.slice[0].slice, cst.Slice) else node.target
        if taken is not None and _name(taken) in holders:
            return True
    return False


def _batched(commit: Call, loop: Any) -> bool:
    """Whether a commit waits until there are enough records, or until some time has passed."""
    arms = commit.spot.arms[next(index for index, arm in enumerate(commit.spot.arms) if arm.test is loop) + 1 :]
    compared = [
        node
        for arm in arms
        if arm.test is not None
        for node in descend(arm.test)
        if isinstance(node, (cst.Comparison, cst.BinaryOperation))
    ]
    return any(
        isinstance(node, cst.BinaryOperation)
        or any(
            isinstance(one.operator, (cst.GreaterThan, cst.GreaterThanEqual, cst.LessThan, cst.LessThanEqual)) for one in node.comparisons
        )
        for node in compared
    )


def _writes(module: Any, call: Call) -> bool:
    """Whether a call may write something that outlives the process."""
    if call.name in _TELLS or call.name in _KEEPS or module.target(call) is not None or call.name[:1].isupper():
        return False
    return call.use in ("dropped", "awaited", "entered") or _WRITES.search(call.name) is not None


def _seeks(module: Any) -> bool:
    """Whether the module reads again from where it likes, so that a committed offset is not where it begins."""
    return bool(module.named("seek", "seek_to_beginning", "assign"))
