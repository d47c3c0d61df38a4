"""Use the beta loss and batches of errors in a PyTorch training loop."""

import torch
from sklearn.datasets import load_digits
from torch import nn

from novikoff.neural import BetaLoss, ErrorBatches, Power

images, labels = load_digits(return_X_y=True)
inputs = torch.tensor(images / 16, dtype=torch.float32)
targets = torch.tensor(labels)
train, test = slice(0, 1300), slice(1300, None)

torch.manual_seed(0)
network = nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 10))
loss = BetaLoss(Power(0.1, 0.4))
optimizer = torch.optim.SGD(network.parameters(), lr=0.2)
batches = ErrorBatches(
    inputs[train], targets[train], network=network, loss=loss, errors=32, max_passes=40
)
for batch_inputs, batch_targets in batches:
    optimizer.zero_grad()
    loss(network(batch_inputs), batch_targets).backward()
    optimizer.step()

with torch.no_grad():
    correct = network(inputs[test]).argmax(dim=1) == targets[test]
share = batches.n_yielded / (batches.passes * len(inputs[train]))
print(f"{int(loss.clock)} updates, beta {float(loss.beta):.2f}")
print(f"gradients of {share:.0%} of the examples per pass")
print(f"test accuracy {correct.double().mean():.1%}")
