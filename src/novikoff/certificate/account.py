"""What a run says of itself: how it ended, and what it was asked for."""

import sys
from dataclasses import dataclass, replace

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import printable
from novikoff.certificate.fields import check_text, check_whole
from novikoff.certificate.status import Status
from novikoff.certificate.wording import counted, in_full


@dataclass(frozen=True, kw_only=True)
class Account:
    """What a run says of itself; nothing of it is proved.

    Parameters
    ----------
    status : Status
        How the run ended.
    asked : str
        What the run was asked for.
    tol : float, optional
        The relative gap between the bounds that was asked for.
    min_margin : float, optional
        The margin at which the run was to give up, once no hyperplane could have it.
    n_updates : int
        How many updates the run made.
    """

    status: Status
    asked: str = ""
    tol: float | None = None
    min_margin: float | None = None
    n_updates: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.status, Status):
            raise CertificateError(f"status must be a Status, not {self.status!r}")
        check_text("asked", self.asked)
        object.__setattr__(self, "n_updates", check_whole("n_updates", self.n_updates))
        for name, most in (("tol", 1.0), ("min_margin", sys.float_info.max)):
            value = getattr(self, name)
            if value is None:
                continue
            if not 0.0 < float(value) <= most:
                raise CertificateError(
                    f"{name} must be above 0 and at most {in_full(most)}, not {value!r}"
                )
            object.__setattr__(self, name, float(value))

    def settled(self, *, gap: float, upper: float, separates: bool) -> "Account":
        """Return the account with a status that the bounds proved do not contradict.

        A search judges by floating-point numbers, which are not the proof: where they promised a
        gap, or a margin out of reach, that the certificate cannot show, the run ended for lack of
        precision; where the certificate shows the gap after all, it was reached.
        """
        status = self.status
        if status in (Status.GAP_REACHED, Status.PRECISION, Status.SEPARATED):
            if self.tol is not None:
                reached = gap <= self.tol
                status = Status.GAP_REACHED if reached else Status.PRECISION
            else:
                status = Status.SEPARATED if separates else Status.PRECISION
        elif status is Status.NOT_SEPARABLE or (
            status is Status.NO_SUCH_MARGIN and not self.excludes(upper)
        ):
            status = Status.PRECISION
        return self if status is self.status else replace(self, status=status)

    def excludes(self, upper: float) -> bool:
        """Whether an upper bound on the margin rules out the margin that was asked for."""
        return self.min_margin is not None and upper < self.min_margin

    def check(self, kind: str, *, gap: float, upper: float) -> None:
        """Refuse a status that contradicts the bounds of the certificate, or its kind."""
        status = self.status
        only = {Status.NOT_SEPARABLE: "NonSeparation", Status.SEPARATED: "Separation"}
        if only.get(status, kind) != kind or (
            kind == "NonSeparation" and status is not Status.NOT_SEPARABLE
        ):
            raise CertificateError(f"a {kind} cannot have the status {status.name}")
        if status is Status.GAP_REACHED and (self.tol is None or not gap <= self.tol):
            raise CertificateError(
                f"the status GAP_REACHED contradicts the gap {gap!r}, where {self.tol!r} was asked"
            )
        if status is Status.NO_SUCH_MARGIN and not self.excludes(upper):
            raise CertificateError(
                f"the status NO_SUCH_MARGIN contradicts the upper bound {upper!r}, "
                f"where the margin {self.min_margin!r} was asked for"
            )

    def __str__(self) -> str:
        asked = f"{printable(self.asked, 200)}: " if self.asked else ""
        ended = self.status.value
        if self.status is Status.GAP_REACHED and self.tol is not None:
            ended = f"{ended[:-1]}: {in_full(self.tol)}."
        if self.status is Status.NO_SUCH_MARGIN and self.min_margin is not None:
            ended = f"{ended[:-1]}: {in_full(self.min_margin)}."
        return f"{asked}{counted(self.n_updates, 'update')}. {ended}"
