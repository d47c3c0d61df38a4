"""A ReLU whose threshold grows with the number of batches in which the neuron fired."""

import torch
from torch import Tensor, nn

from novikoff.neural.schedules import Power, Schedule, check_schedule, check_whole


class ClockedReLU(nn.Module):
    """``ReLU(x + sign * beta_j)`` for neuron j, whose clock counts the batches in which it fired.

    The paper's "internal clocks". A constant beta would be a bias; this one changes during
    training. With ``sign=-1`` a neuron fires only when its input exceeds beta, just as the beta
    loss is zero only when the output exceeds beta. A clock advances, in training mode with
    gradients enabled, when its neuron fires for some example of the batch. The clocks are part of
    ``state_dict``. Non-reentrant gradient checkpointing (``use_reentrant=False``) repeats the
    forward pass with gradients enabled and would advance the clocks twice; it is not supported.

    Parameters
    ----------
    n_features : int
        Number of neurons.
    schedule : Schedule, default=Power(0.01, 0.25)
        Beta as a function of a neuron's clock; must not need norms.
    sign : -1 or 1, default=-1
        Whether beta is subtracted or added.

    Examples
    --------
    >>> import torch
    >>> from novikoff.neural import ClockedReLU, Constant
    >>> ClockedReLU(3, Constant(1.0))(torch.tensor([[0.5, 1.5, -1.0]]))
    tensor([[0.0000, 0.5000, 0.0000]])
    """

    clock: Tensor

    def __init__(
        self, n_features: int, schedule: Schedule | None = None, *, sign: int = -1
    ) -> None:
        super().__init__()
        self.schedule: Schedule = Power(0.01, 0.25) if schedule is None else schedule
        check_schedule("schedule", self.schedule)
        if self.schedule.needs_norms:
            raise ValueError(
                f"schedule={self.schedule} needs the norms of inputs, which ClockedReLU does not "
                "store."
            )
        if sign not in (-1, 1):
            raise ValueError(f"sign={sign!r} must be -1 or 1.")
        check_whole("n_features", n_features)
        self.sign = sign
        self.register_buffer("clock", torch.zeros(n_features, dtype=torch.int64))

    def forward(self, inputs: Tensor) -> Tensor:
        """Return ``ReLU(inputs + sign * beta)`` and advance the clocks of the neurons that fire."""
        if inputs.shape[-1:] != self.clock.shape:
            raise ValueError(
                f"Inputs of shape {tuple(inputs.shape)} do not fit {len(self.clock)} neurons."
            )
        if not inputs.is_floating_point():
            raise ValueError(f"Inputs must be floating-point numbers, not {inputs.dtype}.")
        no_norm = torch.zeros((), dtype=torch.float64, device=self.clock.device)
        beta = self.schedule(self.clock, no_norm).to(inputs.dtype)
        fired = torch.relu(inputs + self.sign * beta)
        if self.training and torch.is_grad_enabled():
            with torch.no_grad():
                self.clock += (fired > 0.0).reshape(-1, len(self.clock)).any(dim=0)
        return fired

    def extra_repr(self) -> str:
        """Return the parameters, for ``repr``."""
        return f"{len(self.clock)}, {self.schedule}, sign={self.sign}"
