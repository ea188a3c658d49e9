"""The text that the tables are kept in."""

from shoal.catalogue.catalogue import Catalogue
from tools.catalogue.state import State, filled, render

ONE = State("a.b", "duration", "1 s", (), (("old.b", True), ("also.b", False)), "d", "job")
TWO = ONE._replace(default="", flags="")
SNAPSHOTS = [("1.0", {"a.b": ONE}), ("1.1", {"a.b": ONE}), ("1.2", {"a.b": TWO}), ("1.3", {})]


def test_runs_of_equal_versions_share_a_line():
    assert render("x", SNAPSHOTS) == (
        '# x\t1.0 1.1 1.2 1.3\na.b\t\t1.1\tduration\t1 s\t\told.b|-also.b\td\tjob\na.b\t1.2\t1.2\tduration\t""\t\told.b|-also.b\t\tjob\n'
    )


def test_the_loader_reads_back_what_was_stored():
    catalogue = Catalogue("x", render("x", SNAPSHOTS))
    option = catalogue.option("a.b", "1.2")
    assert (option.default, option.removed, option.deprecated) == ("", "1.3", "1.0")
    assert [(alias.key, alias.deprecated) for alias in option.aliases] == [("old.b", True), ("also.b", False)]
    assert catalogue.option("a.b", "1.3") is None
    assert catalogue.option("also.b").key == "a.b"
    assert [change[:2] for change in catalogue.history("a.b")] == [("1.2", "default"), ("1.3", "removed")]


def test_a_part_that_a_version_lacks_comes_from_the_next():
    snapshots = [("1.0", {"k/x": ONE}), ("1.1", {"k/x": ONE, "j/y": TWO}), ("1.2", {"k/x": ONE})]
    assert [set(options) for _, options in filled(snapshots)] == [{"k/x", "j/y"}] * 3
