"""What is asked of a training reaches it, and its history is what happened."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from novikoff.neural import (
    BetaLoss,
    ClockedReLU,
    Constant,
    ErrorBatches,
    Errors,
    MarginMLPClassifier,
    Power,
    ScaleFreeInfinity,
)
from novikoff.neural import classifier as module
from novikoff.neural.network import MLP, Dropout
from novikoff.neural.training import Training
from novikoff.reproduce import mnist as section3
from novikoff.reproduce.mnist import Row


@pytest.fixture
def trainings(monkeypatch):
    """All trainings that begin."""
    found = []

    class Seen(Training):
        def __post_init__(self):
            super().__post_init__()
            found.append(self)

    monkeypatch.setattr(module, "Training", Seen)
    monkeypatch.setattr(section3, "Training", Seen)
    return found


ASKED = {
    "learning_rate": 0.3,
    "momentum": 0.4,
    "dropout": (0.1, 0.2),
    "clocks": Power(0.001, 0.25),
}


def assert_asked(training):
    (group,) = training.optimizer.param_groups
    assert (group["lr"], group["momentum"]) == (ASKED["learning_rate"], ASKED["momentum"])
    kinds = [type(layer) for layer in training.network.body]
    assert kinds == [Dropout, nn.Linear, ClockedReLU, Dropout]
    first, _, clocked, last = training.network.body
    assert (first.share, last.share) == ASKED["dropout"]
    assert clocked.schedule == ASKED["clocks"]


def test_a_classifier_asks_for_its_options(few_digits, trainings):
    options = {**ASKED, "average": 0.5, "max_epochs": 4, "batch": np.int64(16)}
    MarginMLPClassifier(hidden_layer_sizes=(7,), **options).fit(*few_digits)
    assert_asked(trainings[0])
    assert (trainings[0].average_from, trainings[0].batch) == (2, 16)


def test_a_row_asks_for_its_options(few_digits, trainings):
    examples = tuple(torch.as_tensor(part) for part in few_digits)
    row = Row("all", Constant(2.0), hidden=7, batch=Errors(3), epochs=3, average_from=2, **ASKED)
    section3.train(row, 0, examples, examples)
    assert_asked(trainings[0])
    assert (trainings[0].average_from, trainings[0].batch) == (2, Errors(3))
    assert trainings[0].loss.schedule == Constant(2.0)


def test_what_is_held_out_is_not_trained_on(few_digits, trainings):
    X, y = few_digits
    MarginMLPClassifier(validation_fraction=0.2, max_epochs=2, random_state=0).fit(X, y)
    (training,) = trainings
    rest, _ = training.held_out
    assert (len(training.inputs), len(rest)) == (240, 60)
    seen = {tuple(row) for row in training.inputs.tolist()}
    assert not seen & {tuple(row) for row in rest.tolist()}


def training_of(few_digits, **options):
    X, y = (torch.as_tensor(part) for part in few_digits)
    network = MLP(64, (20,), 10, generator=torch.Generator().manual_seed(0))
    return Training(
        network=network,
        loss=BetaLoss(Power(0.1, 0.4)),
        optimizer=torch.optim.SGD(network.parameters(), lr=0.1),
        inputs=X,
        targets=y,
        generator=torch.Generator().manual_seed(0),
        **{"batch": 32, **options},
    )


def test_the_mean_is_over_epochs(few_digits):
    training = training_of(few_digits, average_from=2)
    after = []
    for _ in range(4):
        training.epoch()
        after.append(copy.deepcopy(list(training.network.parameters())))
    for mine, *theirs in zip(training.model.parameters(), *after[1:], strict=True):
        assert torch.allclose(mine, torch.stack(theirs).mean(dim=0), atol=1e-6)


def test_history_is_what_happened(few_digits):
    training = training_of(few_digits, batch=Errors(4))
    lines = [training.epoch() for _ in range(3)]
    assert [line.epoch for line in lines] == [1, 2, 3]
    assert lines[-1].updates == int(training.loss.clock)
    assert lines[-1].beta == pytest.approx(0.1 * lines[-1].updates ** 0.4)
    assert sum(line.visited for line in lines) == training._batches.n_visited
    assert sum(line.backpropagated for line in lines) == training._batches.n_yielded
    assert all(line.visited >= 300 for line in lines)


def test_an_epoch_trains_whatever_mode_it_finds(few_digits):
    training = training_of(few_digits)
    training.network.eval()
    training.loss.eval()
    training.epoch()
    assert training.network.training
    assert training.loss.clock > 0


@pytest.mark.parametrize("batch", [32, Errors(8)])
def test_resumed_with_norms_it_is_the_same_run(few_digits, batch):
    """Two epochs are one, saved and loaded, and another: the clock and rho go along."""

    def begin():
        training = training_of(few_digits, batch=batch)
        training.loss = loss = BetaLoss(ScaleFreeInfinity(1.2))
        if training._batches is not None:
            training._batches.loss = loss
        return training

    whole, first, second = begin(), begin(), begin()
    whole.epoch()
    whole.epoch()
    first.epoch()
    for one, other in ((first.network, second.network), (first.loss, second.loss)):
        other.load_state_dict(copy.deepcopy(one.state_dict()))
    assert second.loss.rho2 == first.loss.rho2 > 0.0
    second.generator.set_state(first.generator.get_state())
    second.epoch()
    assert int(second.loss.clock) == int(whole.loss.clock)
    for one, other in zip(second.network.parameters(), whole.network.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_clock_takes_any_shape_of_batch():
    layer = ClockedReLU(3, Power(1.0, 0.5))
    layer(torch.tensor([[[-1.0, 5.0, -1.0]], [[-1.0, -5.0, 9.0]]]))
    assert layer.clock.tolist() == [0, 1, 1]


def test_counting_errors_takes_no_gradients():
    seen = []
    network = nn.Linear(1, 1)
    network.register_forward_hook(lambda *args: seen.append(args[-1].requires_grad))
    X, y = torch.ones(3, 1), torch.tensor([[1], [-1], [1]])
    list(ErrorBatches(X, y, network=network, loss=BetaLoss(), max_passes=1))
    assert seen and not any(seen)


def test_a_device_is_chosen_by_what_there_is(few_digits):
    clf = MarginMLPClassifier(device="auto", max_epochs=1, random_state=0).fit(*few_digits)
    assert next(clf.network_.parameters()).device.type == "cpu"


def test_silent_unless_asked(few_digits, capsys):
    MarginMLPClassifier(max_epochs=1, random_state=0).fit(*few_digits)
    assert capsys.readouterr() == ("", "")


def test_validation_waits_for_less_error(few_digits, monkeypatch):
    """An error that stays the same is in vain."""
    errors = iter([0.5, 0.3, 0.3, 0.3, 0.2, 0.2, 0.2, 0.2])
    monkeypatch.setattr(Training, "_held_out_error", lambda self: next(errors))
    clf = MarginMLPClassifier(validation_fraction=0.1, patience=3, random_state=0).fit(*few_digits)
    assert clf.stopped_ == "validation"
    assert clf.n_iter_ == 8


@pytest.mark.parametrize("exponent", [-0.5, 1.5, float("nan")])
def test_powers_are_between_0_and_1(exponent):
    with pytest.raises(ValueError, match="exponent"):
        Power(1.0, exponent)
