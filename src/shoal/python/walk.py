"""One walk over LibCST's tree: scopes and their bindings, functions, classes, calls, and where each statement stands."""

from __future__ import annotations

from typing import Any

import libcst as cst

from shoal.python.tree import (
    Arm,
    Binding,
    Call,
    ClassInfo,
    Function,
    Param,
    Scope,
    Spot,
    Statement,
    Tree,
    dotted,
    inside,
    is_main,
    key_of,
    meaning,
)

# Methods that change what a dict or list holds; those of a dict count where it is held by an attribute as well: `self.conf.update({…})`.
_OF_DICTS = ("update", "setdefault", "pop", "clear")
_CHANGES = (*_OF_DICTS, "add", "append", "extend")
_LEAVES = (cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Imaginary, cst.Ellipsis, cst.FormattedStringText)


class _Walk:
    def __init__(self, module: cst.Module) -> None:
        self.tree = Tree(module)
        self.default_indent = module.default_indent
        self.scope = self.tree.root
        self.function: Function | None = None
        self.cls: ClassInfo | None = None
        self.arms: tuple[Arm, ...] = ()
        self.guarded: tuple[Any, ...] = ()
        self.withs: tuple[Any, ...] = ()
        self.cleanup = False
        self.indent = ""
        self.groups = 0
        self.meaning = meaning()
        self.spot = Spot(self.scope, -1, (), None, (), (), False)
        self.handlers: dict[type, Any] = {
            cst.Call: self.call,
            cst.Lambda: self.lambda_,
            cst.GeneratorExp: self.comprehension,
            cst.ListComp: self.comprehension,
            cst.SetComp: self.comprehension,
            cst.DictComp: self.comprehension,
            cst.NamedExpr: self.walrus,
            cst.Await: self.await_,
            cst.Attribute: self.attribute,
            cst.Yield: self.yield_,
            cst.FormattedString: self.formatted,
            cst.IfExp: self.ternary,
            cst.BooleanOperation: self.boolean,
            cst.Comparison: self.comparison,
        }

    # -- expressions

    def expr(self, node: Any, use: str = "other") -> None:
        kind = node.__class__
        if kind is cst.Name:
            self.tree.name_uses.setdefault(node.value, []).append(self.scope)
            return
        if kind in _LEAVES:
            return
        handler = self.handlers.get(kind)
        if handler is not None:
            handler(node, use)
            return
        for name in self.meaning.get(kind, ()):
            child = getattr(node, name)
            if child.__class__ is tuple or child.__class__ is list:
                for item in child:
                    self.expr(item)
            elif child.__class__ in self.meaning:
                self.expr(child)

    def call(self, node: cst.Call, use: str) -> None:
        func = node.func
        spot = self.spot
        name = ""
        if isinstance(func, cst.Attribute):
            name = func.attr.value
            self.expr(func.value, "chained")
        elif isinstance(func, cst.Name):
            name = func.value
            self.tree.name_uses.setdefault(name, []).append(self.scope)
        else:
            self.expr(func, "chained")
        for arg in node.args:
            self.expr(arg.value, "argument")
        found = Call(node, name, spot, self.function, use)
        self.tree.calls.append(found)
        if self.function is not None:
            self.function.calls.append(found)
        if name in _CHANGES and isinstance(func, cst.Attribute):
            changed = func.value.value if isinstance(func.value, cst.Name) else dotted(func.value) if name in _OF_DICTS else ""
            if changed:
                self.change(changed, name, node.args[0].value if node.args else None, node.args[1].value if len(node.args) > 1 else None)

    def change(self, name: str, how: str, key: Any, value: Any) -> None:
        self.scope.changes.setdefault(name, []).append((how, key, value, self.spot))

    def lambda_(self, node: cst.Lambda, use: str) -> None:
        for default in (*node.params.params, *node.params.kwonly_params):
            if default.default is not None:
                self.expr(default.default)
        self.define("<lambda>", node, node.params, None)

    def define(self, name: str, node: Any, params: cst.Parameters, cls: ClassInfo | None) -> Function:
        """Open a function's scope and walk its body."""
        scope = Scope("function", self.scope)
        function = Function(name, node, self.spot, cls, self.function, scope)
        scope.owner = function
        self.tree.functions.append(function)
        if isinstance(node, cst.Lambda):
            self.tree.lambdas[id(node)] = function
        saved = (self.scope, self.function, self.cls, self.arms, self.guarded, self.withs, self.cleanup, self.spot)
        outer_spot = self.spot
        self.scope, self.function, self.cls, self.arms, self.guarded, self.withs, self.cleanup = scope, function, None, (), (), (), False
        self.spot = Spot(scope, outer_spot.statement, (), function, (), (), False)
        kinds = [("plain", (*params.posonly_params, *params.params)), ("keyword", params.kwonly_params)]
        if isinstance(params.star_arg, cst.Param):
            kinds.append(("star", (params.star_arg,)))
        if params.star_kwarg is not None:
            kinds.append(("stars", (params.star_kwarg,)))
        for kind, group in kinds:
            for param in group:
                annotation = param.annotation.annotation if param.annotation is not None else None
                function.params.append(Param(param.name.value, param.default, annotation, kind))
                scope.bindings[param.name.value] = [Binding("param", param, self.spot, function)]
        if isinstance(node, cst.Lambda):
            function.returns.append((node.body, self.spot))
            self.expr(node.body, "returned")
        else:
            self.suite(node.body)
        self.scope, self.function, self.cls, self.arms, self.guarded, self.withs, self.cleanup, self.spot = saved
        return function

    def comprehension(self, node: Any, use: str) -> None:
        outer_scope, outer_spot = self.scope, self.spot
        loops = []
        part: Any = node.for_in
        while part is not None:
            loops.append(part)
            part = part.inner_for_in
        self.expr(loops[0].iter)
        self.scope = Scope("comprehension", outer_scope, outer_scope.owner)
        self.spot = Spot(
            self.scope, outer_spot.statement, outer_spot.arms, self.function, outer_spot.guarded, outer_spot.withs, outer_spot.cleanup
        )
        self.tree.comprehensions[id(node)] = self.spot
        for number, loop in enumerate(loops):
            if number:
                self.expr(loop.iter)
            self.target(loop.target, "for", loop.iter)
            for condition in loop.ifs:
                self.expr(condition.test)
        if isinstance(node, cst.DictComp):
            self.expr(node.key)
            self.expr(node.value)
        else:
            self.expr(node.elt)
        self.scope, self.spot = outer_scope, outer_spot

    def walrus(self, node: cst.NamedExpr, use: str) -> None:
        self.expr(node.value, "assigned")
        if isinstance(node.target, cst.Name):
            scope = self.scope
            while scope.kind == "comprehension" and scope.outer is not None:
                scope = scope.outer
            scope.bind(node.target.value, Binding("assign", node.value, self.spot))

    def await_(self, node: cst.Await, use: str) -> None:
        self.tree.awaits.append((node, self.spot))
        self.expr(node.expression, "awaited")

    def yield_(self, node: cst.Yield, use: str) -> None:
        value = node.value
        if self.function is not None:
            self.function.yielded.append((None if isinstance(value, cst.From) else value, self.spot))
        if value is not None:
            self.expr(value.item if isinstance(value, cst.From) else value, "yielded")

    def attribute(self, node: cst.Attribute, use: str) -> None:
        self.tree.attributes.setdefault(node.attr.value, []).append((node, self.spot))
        self.expr(node.value, "chained")

    def formatted(self, node: cst.FormattedString, use: str) -> None:
        for part in node.parts:
            if isinstance(part, cst.FormattedStringExpression):
                self.expr(part.expression)
                if part.format_spec:
                    for inner in part.format_spec:
                        if isinstance(inner, cst.FormattedStringExpression):
                            self.expr(inner.expression)

    def ternary(self, node: cst.IfExp, use: str) -> None:
        self.expr(node.test)
        self.groups += 1
        group = self.groups
        for index, child in ((0, node.body), (1, node.orelse)):
            self.within(Arm(group, index, "if" if index == 0 else "else", node.test), child, use)

    def boolean(self, node: cst.BooleanOperation, use: str) -> None:
        self.expr(node.left)
        self.groups += 1
        self.within(Arm(self.groups, 0, "and", node.left), node.right, use)

    def comparison(self, node: cst.Comparison, use: str) -> None:
        self.tree.comparisons.append((node, self.spot))
        self.expr(node.left)
        for one in node.comparisons:
            self.expr(one.comparator)

    def within(self, arm: Arm, node: Any, use: str) -> None:
        """Walk an expression that is evaluated on some paths only."""
        if node.__class__ in _LEAVES:
            self.expr(node)
            return
        saved = self.spot
        self.spot = Spot(saved.scope, saved.statement, (*saved.arms, arm), saved.function, saved.guarded, saved.withs, saved.cleanup)
        self.expr(node, use)
        self.spot = saved

    # -- targets

    def target(self, node: Any, kind: str, value: Any, index: Any = None) -> None:
        if isinstance(node, cst.Name):
            self.scope.bind(node.value, Binding(kind, value, self.spot, index))
        elif isinstance(node, (cst.Tuple, cst.List)):
            for number, element in enumerate(node.elements):
                inner = element.value
                if kind == "assign" and index is None and not isinstance(element, cst.StarredElement):
                    self.target(inner, "unpack", value, number)
                else:
                    whole = kind == "for" and index is None and not isinstance(element, cst.StarredElement)
                    self.target(inner, kind if kind == "for" else "unknown", value, number if whole else "item")
        elif isinstance(node, cst.Attribute):
            owner = self.method_owner()
            if owner is not None and isinstance(node.value, cst.Name) and self.function is not None and node.value.value == owner[1]:
                owner[0].attributes.setdefault(node.attr.value, []).append(Binding(kind, value, self.spot, index))
            else:
                self.expr(node.value)
                self.tree.attribute_sets.append((node, value, self.spot))
                if isinstance(node.value, cst.Name):
                    self.change(f"{node.value.value}.{node.attr.value}", "set", node, value)
        elif isinstance(node, cst.Subscript):
            self.tree.subscripts.append((node, self.spot))
            self.expr(node.value)
            for part in node.slice:
                self.expr(part.slice)
            name, key = dotted(node.value), key_of(node)
            if name and key is not None:
                self.change(name, "set" if kind == "assign" else "unknown", key, value)
        elif isinstance(node, cst.StarredElement):
            self.target(node.value, "unknown", value)

    def method_owner(self) -> tuple[ClassInfo, str] | None:
        function = self.function
        while function is not None:
            if function.cls is not None:
                name = function.self_name
                return (function.cls, name) if name else None
            function = function.outer
        return None

    # -- statements

    def note(self, node: Any) -> None:
        """Begin a statement: number it and make its spot."""
        self.spot = Spot(self.scope, len(self.tree.statements), self.arms, self.function, self.guarded, self.withs, self.cleanup)
        self.tree.statements.append(Statement(node, self.indent, self.spot))

    def suite(self, body: Any) -> None:
        if isinstance(body, cst.SimpleStatementSuite):
            for small in body.body:
                self.small(small)
            return
        indent = self.indent
        if isinstance(body, cst.IndentedBlock):
            self.indent += body.indent if body.indent is not None else self.default_indent
        self.block(body.body)
        self.indent = indent

    def block(self, statements: Any) -> None:
        for statement in statements:
            if isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    self.small(small)
            else:
                self.compound(statement)

    def small(self, node: Any) -> None:
        self.note(node)
        kind = node.__class__
        if kind is cst.Expr:
            self.expr(node.value, "dropped")
        elif kind is cst.Assign:
            self.expr(node.value, "assigned")
            for target in node.targets:
                self.target(target.target, "assign", node.value)
        elif kind is cst.AnnAssign:
            if node.value is not None:
                self.expr(node.value, "assigned")
            self.target(
                node.target,
                "assign" if node.value is not None else "declared",
                node.value,
                node.annotation.annotation if node.value is None else None,
            )
        elif kind is cst.AugAssign:
            self.expr(node.value)
            if isinstance(node.operator, cst.BitOrAssign) and isinstance(node.target, cst.Name) and isinstance(node.value, cst.Dict):
                self.change(node.target.value, "update", node.value, None)
            else:
                self.target(node.target, "augmented", node.value)
        elif kind is cst.Return:
            if node.value is not None:
                self.expr(node.value, "returned")
            if self.function is not None:
                self.function.returns.append((node.value, self.spot))
        elif kind is cst.Import:
            for alias in node.names:
                name = dotted(alias.name)
                if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
                    self.scope.bind(alias.asname.name.value, Binding("import", node, self.spot, name))
                else:
                    top = name.split(".")[0]
                    self.scope.bind(top, Binding("import", node, self.spot, top))
        elif kind is cst.ImportFrom:
            base = "." * len(node.relative) + (dotted(node.module) if node.module is not None else "")
            if isinstance(node.names, cst.ImportStar):
                self.scope.stars.append(base)
                return
            for alias in node.names:
                name = alias.name.value if isinstance(alias.name, cst.Name) else dotted(alias.name)
                local = alias.asname.name.value if alias.asname is not None and isinstance(alias.asname.name, cst.Name) else name
                self.scope.bind(local, Binding("import", node, self.spot, inside(base, name)))
        elif kind in (cst.Global, cst.Nonlocal):
            if kind is cst.Global:
                self.scope.uses_globals.update(item.name.value for item in node.names)
        elif kind is cst.Del:
            target = node.target
            if isinstance(target, cst.Subscript) and (name := dotted(target.value)):
                self.change(name, "pop", None, None)
            self.expr(target)
        elif kind not in (cst.Pass, cst.Break, cst.Continue):
            for name in self.meaning.get(kind, ()):
                child = getattr(node, name)
                if child.__class__ in self.meaning:
                    self.expr(child)

    def arm(self, arm: Arm | None, body: Any) -> None:
        saved = self.arms
        if arm is not None:
            self.arms = (*saved, arm)
        self.suite(body)
        self.arms = saved

    def compound(self, node: Any) -> None:
        kind = node.__class__
        if kind is cst.FunctionDef:
            self.function_def(node)
        elif kind is cst.ClassDef:
            self.class_def(node)
        elif kind is cst.If:
            self.if_(node)
        elif kind is cst.For:
            self.note(node)
            self.expr(node.iter)
            self.groups += 1
            saved = self.arms
            self.arms = (*saved, Arm(self.groups, 0, "loop", node))
            self.spot = Spot(self.scope, self.spot.statement, self.arms, self.function, self.guarded, self.withs, self.cleanup)
            self.target(node.target, "for", node.iter)
            self.suite(node.body)
            self.arms = saved
            if node.orelse is not None:
                self.suite(node.orelse.body)
        elif kind is cst.While:
            self.note(node)
            self.groups += 1
            arm = Arm(self.groups, 0, "loop", node)
            self.within(arm, node.test, "other")
            self.arm(arm, node.body)
            if node.orelse is not None:
                self.suite(node.orelse.body)
        elif kind is cst.With:
            self.note(node)
            for item in node.items:
                self.expr(item.item, "entered")
                if item.asname is not None:
                    self.target(item.asname.name, "with", item.item)
            saved_withs = self.withs
            self.withs = (*saved_withs, *(item.item for item in node.items))
            self.suite(node.body)
            self.withs = saved_withs
        elif kind in (cst.Try, cst.TryStar):
            self.try_(node)
        elif kind is cst.Match:
            self.note(node)
            self.expr(node.subject)
            self.groups += 1
            group = self.groups
            for index, case in enumerate(node.cases):
                saved = self.arms
                self.arms = (*saved, Arm(group, index, "case", node.subject))
                self.pattern(case.pattern)
                if case.guard is not None:
                    self.expr(case.guard)
                self.suite(case.body)
                self.arms = saved

    def pattern(self, node: Any) -> None:
        """Names a pattern captures get values that cannot be known."""
        if isinstance(node, cst.Name):
            self.scope.bind(node.value, Binding("unknown", node, self.spot))
            return
        for name in self.meaning.get(node.__class__, ()):
            child = getattr(node, name)
            if child.__class__ is tuple or child.__class__ is list:
                for item in child:
                    self.pattern(item)
            elif (child.__class__ in self.meaning and name not in ("cls", "key", "value")) or (
                name == "value" and isinstance(node, (cst.MatchSequenceElement,))
            ):
                self.pattern(child)

    def if_(self, node: cst.If) -> None:
        self.groups += 1
        group = self.groups
        index = 0
        at: Any = node
        while isinstance(at, cst.If):
            self.note(at)
            self.expr(at.test)
            kind = "main" if index == 0 and is_main(at.test) else "if"
            self.arm(Arm(group, index, kind, at.test), at.body)
            index += 1
            if isinstance(at.orelse, cst.Else):
                self.arm(Arm(group, index, "else", at.test), at.orelse.body)
                break
            at = at.orelse

    def try_(self, node: Any) -> None:
        self.note(node)
        self.groups += 1
        group = self.groups
        saved = self.guarded
        self.guarded = (*saved, node)
        self.suite(node.body)
        self.guarded = saved
        for index, handler in enumerate(node.handlers):
            self.note(handler)
            if handler.type is not None:
                self.expr(handler.type)
            saved_arms = self.arms
            self.arms = (*saved_arms, Arm(group, index + 1, "except", node))
            if handler.name is not None and isinstance(handler.name.name, cst.Name):
                self.scope.bind(handler.name.name.value, Binding("unknown", handler, self.spot, "error"))
            self.suite(handler.body)
            self.arms = saved_arms
        if node.orelse is not None:
            self.suite(node.orelse.body)
        if node.finalbody is not None:
            saved_cleanup = self.cleanup
            self.cleanup = True
            self.suite(node.finalbody.body)
            self.cleanup = saved_cleanup

    def function_def(self, node: cst.FunctionDef) -> None:
        self.note(node)
        for decorator in node.decorators:
            self.expr(decorator.decorator)
        for param in (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params):
            if param.default is not None:
                self.expr(param.default)
        spot = self.spot
        cls = self.cls
        function = self.define(node.name.value, node, node.params, cls)
        function.spot = spot
        self.scope.bind(node.name.value, Binding("function", function, spot))
        if cls is not None:
            cls.methods[node.name.value] = function

    def class_def(self, node: cst.ClassDef) -> None:
        self.note(node)
        for decorator in node.decorators:
            self.expr(decorator.decorator)
        for base in (*node.bases, *node.keywords):
            self.expr(base.value)
        spot = self.spot
        scope = Scope("class", self.scope)
        info = ClassInfo(node.name.value, node, spot, scope)
        scope.owner = info
        self.tree.classes.append(info)
        saved = (self.scope, self.cls, self.arms)
        self.scope, self.cls, self.arms = scope, info, ()
        self.suite(node.body)
        self.scope, self.cls, self.arms = saved
        self.scope.bind(node.name.value, Binding("class", info, spot))


def walk(module: cst.Module) -> Tree:
    """Walk through a module, once."""
    walker = _Walk(module)
    walker.block(module.body)
    return walker.tree
