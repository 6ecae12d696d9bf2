"""What the review's templates are given."""

from dataclasses import dataclass

from resources.views.shell import FORM, Shell
from resources.writing.review import Review


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPage:
    """`base`, `original`, `document`: the state of the page it came from, as that posts it; `decided`: choices about
    clashes.
    """

    shell: Shell
    found: Review
    base: str
    original: str
    document: str
    decided: tuple[tuple[str, str], ...] = ()

    @property
    def of_form(self) -> bool:
        return self.shell.face == FORM

    @property
    def nothing(self) -> bool:
        return self.shell.editing and not self.found.changes
