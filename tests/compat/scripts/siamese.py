"""A network that two or three pictures go through, trained to tell which are alike: with a triplet loss, with a
contrastive one, and on pairs.

siamese.py --loss triplet
"""

import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser(description="siamese network")
parser.add_argument("--loss", default="triplet", choices=["triplet", "contrastive", "pairs"])
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--lr", type=float, default=0.02)
parser.add_argument("--gamma", type=float, default=0.7)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
torch.manual_seed(args.seed)
random.seed(args.seed)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Patterns(Dataset):
    """8x8 pictures of four patterns with noise, in pairs or in threes: (anchor, another, …, whether they are of one
    pattern)."""

    def __init__(self, n, seed, triplets):
        rng = np.random.default_rng(seed)
        self.labels = torch.from_numpy(rng.integers(0, 4, n))
        u, v = np.meshgrid(np.arange(8), np.arange(8))
        shapes = np.stack([u % 2, v % 2, (u + v) % 2, (u > 3) ^ (v > 3)]).astype(np.float32)
        noise = rng.normal(size=(n, 8, 8)).astype(np.float32)
        self.pictures = torch.from_numpy(shapes[self.labels.numpy()] + 0.5 * noise)[:, None]
        self.of = {k: torch.nonzero(self.labels == k).flatten().tolist() for k in range(4)}
        self.triplets = triplets

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        label = int(self.labels[index])
        other = random.choice([k for k in range(4) if k != label])
        alike, different = random.choice(self.of[label]), random.choice(self.of[other])
        if self.triplets:
            return self.pictures[index], self.pictures[alike], self.pictures[different]
        same = index % 2
        chosen = alike if same else different
        return self.pictures[index], self.pictures[chosen], torch.tensor(same, dtype=torch.float)


class SiameseNetwork(nn.Module):
    """The shared net, and a head that tells from two embeddings whether the pictures are of one pattern."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 16, 16),
        )  # fmt: skip
        self.head = nn.Sequential(nn.Linear(2 * 16, 16), nn.ReLU(inplace=True), nn.Linear(16, 1))
        self.apply(self.init_weights)

    @staticmethod
    def init_weights(m):
        if isinstance(m, nn.Linear):
            torch.nn.init.xavier_uniform_(m.weight)
            m.bias.data.fill_(0.01)

    def embed(self, x):
        return self.net(x)

    def forward(self, a, b):
        return torch.sigmoid(self.head(torch.cat((self.embed(a), self.embed(b)), 1))).squeeze(1)


class ContrastiveLoss(nn.Module):
    """Pulls pairs that are alike together, and pushes others apart until they are `margin` away."""

    def __init__(self, margin=2.0):
        super().__init__()
        self.margin = margin

    def forward(self, a, b, same):
        distance = F.pairwise_distance(a, b)
        apart = torch.clamp(self.margin - distance, min=0.0)
        return torch.mean(same * distance.pow(2) + (1 - same) * apart.pow(2))


triplet_loss = nn.TripletMarginLoss(margin=1.0, p=2)
contrastive_loss = ContrastiveLoss()
pair_loss = nn.BCELoss()


def loss_of(model, batch):
    if args.loss == "triplet":
        return triplet_loss(*[model.embed(x) for x in batch])
    a, b, same = batch
    if args.loss == "contrastive":
        return contrastive_loss(model.embed(a), model.embed(b), same)
    return pair_loss(model(a, b), same)


def train(model, loader, optimizer):
    model.train()
    total = 0.0
    for batch in loader:
        batch = [x.to(device) for x in batch]
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def test(model, data):
    """The share of pictures whose nearest neighbour is of their pattern."""
    model.eval()
    found = model.embed(data.pictures.to(device))
    distances = torch.cdist(found, found)
    distances.fill_diagonal_(float("inf"))
    nearest = distances.argmin(dim=1).cpu()
    return data.labels[nearest].eq(data.labels).sum().item() / len(data)


train_data = Patterns(96, 0, args.loss == "triplet")
test_data = Patterns(48, 1, args.loss == "triplet")
loader = DataLoader(train_data, batch_size=args.batch_size, shuffle=True, num_workers=0, drop_last=True)
model = SiameseNetwork().to(device)
optimizer = torch.optim.Adadelta(model.parameters(), lr=10 * args.lr)
scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)
for epoch in range(1, args.epochs + 1):
    loss = train(model, loader, optimizer)
    scheduler.step()
    print(f"epoch {epoch}: loss {loss:.3f}, rate {scheduler.get_last_lr()[0]:.3f}")
accuracy = test(model, test_data)
print("most neighbours are of one pattern:", accuracy > 0.6)
