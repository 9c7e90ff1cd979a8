"""ResNet-18 (He et al. 2016), as torchvision names its parts, with its width and the images reduced."""

from __future__ import annotations

import numpy as np

WIDTHS, CLASSES = (4, 8, 8, 16), 5


def build(torch):
    nn = torch.nn

    def conv3x3(inside, outside, stride=1):
        return nn.Conv2d(inside, outside, kernel_size=3, stride=stride, padding=1, bias=False)

    class BasicBlock(nn.Module):
        def __init__(self, inside, outside, stride):
            super().__init__()
            self.conv1 = conv3x3(inside, outside, stride)
            self.bn1 = nn.BatchNorm2d(outside)
            self.relu = nn.ReLU(inplace=True)
            self.conv2 = conv3x3(outside, outside)
            self.bn2 = nn.BatchNorm2d(outside)
            self.downsample = None
            if stride != 1 or inside != outside:
                self.downsample = nn.Sequential(
                    nn.Conv2d(inside, outside, kernel_size=1, stride=stride, bias=False),
                    nn.BatchNorm2d(outside),
                )

        def forward(self, x):
            identity = x if self.downsample is None else self.downsample(x)
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            out += identity
            return self.relu(out)

    class ResNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(3, WIDTHS[0], kernel_size=7, stride=2, padding=3, bias=False)
            self.bn1 = nn.BatchNorm2d(WIDTHS[0])
            self.relu = nn.ReLU(inplace=True)
            self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
            inside = WIDTHS[0]
            for n, outside in enumerate(WIDTHS, 1):
                stride = 1 if n == 1 else 2
                blocks = [BasicBlock(inside, outside, stride), BasicBlock(outside, outside, 1)]
                setattr(self, f"layer{n}", nn.Sequential(*blocks))
                inside = outside
            self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
            self.fc = nn.Linear(inside, CLASSES)
            for m in self.modules():
                if isinstance(m, nn.Conv2d):
                    nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                elif isinstance(m, nn.BatchNorm2d):
                    nn.init.constant_(m.weight, 1)
                    nn.init.constant_(m.bias, 0)

        def forward(self, x):
            x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
            x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
            return self.fc(torch.flatten(self.avgpool(x), 1))

    return ResNet()


def example(rng):
    return rng.normal(size=(4, 3, 48, 48)).astype(np.float32), rng.integers(0, CLASSES, 4)


def loss(torch, model, images, labels):
    return torch.nn.CrossEntropyLoss(label_smoothing=0.1)(model(images), labels)


def optimizer(torch, model):
    return torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
