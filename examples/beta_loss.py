"""The beta loss and batches of errors in a training loop of one's own."""

import torch
from sklearn.datasets import load_digits
from torch import nn

from novikoff.neural import BetaLoss, ErrorBatches, Power

images, labels = load_digits(return_X_y=True)
inputs = torch.tensor(images / 16, dtype=torch.float32)
targets = torch.tensor(labels)
seen, held_out = slice(0, 1300), slice(1300, None)

torch.manual_seed(0)
network = nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 10))
loss = BetaLoss(Power(0.1, 0.4))
optimizer = torch.optim.SGD(network.parameters(), lr=0.2)
batches = ErrorBatches(
    inputs[seen], targets[seen], network=network, loss=loss, errors=32, max_passes=40
)
for some_inputs, some_targets in batches:
    optimizer.zero_grad()
    loss(network(some_inputs), some_targets).backward()
    optimizer.step()

with torch.no_grad():
    right = network(inputs[held_out]).argmax(dim=1) == targets[held_out]
share = batches.n_yielded / (batches.passes * len(inputs[seen]))
print(f"{int(loss.clock)} updates, beta {float(loss.beta):.2f}, gradients of {share:.0%} of visits")
print(f"{right.double().mean():.1%} of the held-out digits are right")
