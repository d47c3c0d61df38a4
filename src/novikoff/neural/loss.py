"""The beta loss: ``ReLU(beta - y o)`` for every output neuron."""

from collections.abc import Callable
from typing import Literal, Self

import torch
from torch import Tensor, nn

from novikoff.neural.schedules import Constant, Schedule, check_schedule, check_whole

Reduction = Literal["mean", "sum", "none"]


class BetaLoss(nn.Module):
    """``ReLU(beta_t - y o)``: zero where an output is correct by more than beta, else linear.

    The loss of an output is active where ``beta_t - y o >= 0``. Equality counts as active, so that
    a network with all weights zero has a gradient also for beta 0. The clock t counts updates: the
    calls in training mode, with gradients enabled, in which some loss was active. It is part of
    ``state_dict``.

    Parameters
    ----------
    schedule : Schedule, default=Constant(1.0)
        Beta as a function of t.
    reduction : "mean", "sum" or "none", default="mean"
        ``"mean"`` sums over the output neurons and averages over the examples, ``"sum"`` sums
        over both, ``"none"`` returns the loss of every output.
    per_neuron : bool, default=False
        Whether every output neuron has a clock of its own.
    n_outputs : int, optional
        Number of output neurons; required with ``per_neuron``, otherwise checked if given.

    Examples
    --------
    >>> import torch
    >>> from novikoff.neural import BetaLoss, Constant
    >>> outputs = torch.tensor([[2.0, -3.0, 0.5], [0.0, 0.0, 0.0]])
    >>> BetaLoss(Constant(1.0), reduction="none")(outputs, torch.tensor([0, 2]))
    tensor([[0.0000, 0.0000, 1.5000],
            [1.0000, 1.0000, 1.0000]])
    """

    clock: Tensor
    rho2: Tensor

    def __init__(
        self,
        schedule: Schedule | None = None,
        *,
        reduction: Reduction = "mean",
        per_neuron: bool = False,
        n_outputs: int | None = None,
    ) -> None:
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"reduction={reduction!r} must be 'mean', 'sum' or 'none'.")
        if per_neuron and n_outputs is None:
            raise ValueError("per_neuron=True needs n_outputs, the number of output neurons.")
        self.schedule: Schedule = Constant(1.0) if schedule is None else schedule
        check_schedule("schedule", self.schedule)
        self.reduction = reduction
        self.per_neuron = per_neuron
        if n_outputs is not None:
            check_whole("n_outputs", n_outputs)
        self.n_outputs = n_outputs
        shape = (n_outputs,) if per_neuron and n_outputs is not None else ()
        self.register_buffer("clock", torch.zeros(shape, dtype=torch.int64))
        self.register_buffer("rho2", torch.zeros(shape, dtype=torch.float64))

    @property
    def beta(self) -> Tensor:
        """The current threshold: one number, or one for each neuron with ``per_neuron``."""
        return self.schedule(self.clock, self.rho2)

    def shortfalls(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return ``beta - y o`` for every output; the loss is active where it is not negative.

        16-bit outputs are converted to float32, since a large beta would overflow 16 bits.
        """
        if not outputs.is_floating_point():
            raise ValueError(f"Outputs must be floating-point numbers, not {outputs.dtype}.")
        if self.n_outputs is not None and outputs.shape[-1:] != (self.n_outputs,):
            raise ValueError(
                f"Outputs of shape {tuple(outputs.shape)} do not fit n_outputs={self.n_outputs}."
            )
        signs = signs_of(outputs, targets)
        dtype = torch.promote_types(outputs.dtype, torch.float32)
        beta = self.beta.to(dtype)
        if not bool(torch.isfinite(beta).all()):
            raise ValueError(f"The beta of {self.schedule} overflows {dtype}.")
        if not bool(torch.isfinite(outputs.detach()).all()):
            raise ValueError(
                "The outputs contain NaN or infinity; lower the learning rate or check the inputs."
            )
        return beta - signs.to(dtype) * outputs.to(dtype)

    def forward(self, outputs: Tensor, targets: Tensor, features: Tensor | None = None) -> Tensor:
        """Return the loss, and advance the clock if the call is an update.

        Parameters
        ----------
        outputs : tensor of shape (..., n_outputs)
            The pre-activations of the output neurons; a vector is one example.
        targets : tensor
            Class indices of shape (...), or signs +1 and -1 of the same shape as the outputs.
        features : tensor of shape (..., n_features), optional
            The inputs of the output neurons; required by a schedule with ``needs_norms``.
        """
        short = self.shortfalls(outputs, targets)
        active = short >= 0.0
        losses = torch.where(active, short, torch.zeros_like(short))
        if self.training and torch.is_grad_enabled() and active.numel():
            self._advance(active, features)
        if self.reduction == "none":
            return losses
        total = losses.sum()
        examples = max(losses.numel() // max(losses.shape[-1], 1), 1) if losses.ndim else 1
        return total / examples if self.reduction == "mean" else total

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Move the state to another device or dtype, but keep ``rho2`` in double precision."""
        # PyTorch's `half`, `to` and similar methods all call `_apply`, which has no type hints.
        rho2 = self.rho2
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        self.rho2 = rho2.to(self.clock.device)
        return self

    def extra_repr(self) -> str:
        """Return the parameters, for ``repr``."""
        return f"{self.schedule}, reduction={self.reduction!r}, per_neuron={self.per_neuron}"

    @torch.no_grad()
    def _advance(self, active: Tensor, features: Tensor | None) -> None:
        table = active.reshape(-1, active.shape[-1]) if active.ndim else active.reshape(1, 1)
        if self.schedule.needs_norms:
            if features is None:
                raise ValueError(
                    f"schedule={self.schedule} needs features=, the inputs of the output neurons."
                )
            if features.shape[:-1] != active.shape[:-1]:
                raise ValueError(
                    f"Features of shape {tuple(features.shape)} do not fit outputs of shape "
                    f"{tuple(active.shape)}: give a row for each example."
                )
            norms2 = features.detach().double().square().sum(dim=-1).reshape(-1, 1)
            if not bool(torch.isfinite(norms2).all()):
                raise ValueError(
                    "The features contain NaN or infinity, or are too large to square."
                )
            largest = torch.where(table, norms2, torch.zeros_like(norms2))
            found = largest.amax(dim=0) if self.per_neuron else largest.amax()
            self.rho2.copy_(torch.maximum(self.rho2, found))
        self.clock += table.any(dim=0) if self.per_neuron else table.any()


def signs_of(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return +1 for the neuron of an example's class and -1 for all others.

    Targets of the outputs' own shape are such signs already.
    """
    if targets.dtype == torch.bool or targets.is_complex():
        raise ValueError(f"Targets must be class indices, or signs +1 and -1, not {targets.dtype}.")
    if targets.shape == outputs.shape:
        signs = targets.to(outputs.dtype)
        if not bool((signs.abs() == 1).all()):
            raise ValueError("Targets of the outputs' shape must be signs, +1 and -1.")
        return signs
    if targets.shape != outputs.shape[:-1]:
        raise ValueError(
            f"Targets of shape {tuple(targets.shape)} do not fit outputs of shape "
            f"{tuple(outputs.shape)}: give a class index per example, or a sign per output."
        )
    n_outputs = outputs.shape[-1]
    if n_outputs == 1:
        return signs_of(outputs, targets.unsqueeze(-1))
    if targets.is_floating_point():
        raise ValueError(f"Class indices must be whole numbers, not {targets.dtype}.")
    targets = targets.long()
    if targets.numel() and not 0 <= int(targets.min()) <= int(targets.max()) < n_outputs:
        raise ValueError(
            f"Class indices must be between 0 and {n_outputs - 1}; "
            f"found {int(targets.min())} and {int(targets.max())}."
        )
    signs = -torch.ones_like(outputs)
    return signs.scatter_(-1, targets.unsqueeze(-1), 1.0)
