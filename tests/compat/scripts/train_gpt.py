"""Trains a small GPT the way nanoGPT's train.py does: settings that are globals, tokens in a memory-mapped file,
gradients accumulated under autocast, a compiled model, checkpoints to go on from, and several processes if torchrun
says so.

    train_gpt.py --out_dir=out --max_iters=20
    train_gpt.py --out_dir=out --init_from=resume --max_iters=40
"""

import ast
import math
import os
import sys
from contextlib import nullcontext
from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.distributed import destroy_process_group, init_process_group
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

# -- settings; each can be given as --name=value -----------------------------------------------------------------------
out_dir = "out"
init_from = "scratch"  # or "resume"
eval_interval = 10
eval_iters = 2
gradient_accumulation_steps = 2
batch_size = 4
block_size = 16
n_layer = 2
n_head = 2
n_embd = 32
dropout = 0.0
learning_rate = 1e-2
max_iters = 20
weight_decay = 1e-1
beta1 = 0.9
beta2 = 0.95
grad_clip = 1.0
warmup_iters = 5
min_lr = 1e-3
backend = "gloo"
device = "cpu"
dtype = "float32"  # or "bfloat16", "float16"
compile = True
seed = 1337

SETTINGS = [k for k, v in globals().items() if not k.startswith("_") and isinstance(v, int | float | str)]
for argument in sys.argv[1:]:
    key, _, value = argument.removeprefix("--").partition("=")
    if key not in SETTINGS:
        raise ValueError(f"unknown setting: {key}")
    old = globals()[key]
    given = value if isinstance(old, str) else ast.literal_eval(value)
    if type(given) is not type(old):
        raise ValueError(f"{key} is a {type(old).__name__}, not {value!r}")
    globals()[key] = given
config = {k: globals()[k] for k in SETTINGS}

# -- processes ---------------------------------------------------------------------------------------------------------
ddp = int(os.environ.get("RANK", -1)) != -1
if ddp:
    init_process_group(backend=backend)
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    master_process = rank == 0
    assert gradient_accumulation_steps % world_size == 0
    gradient_accumulation_steps //= world_size
else:
    rank, world_size, master_process = 0, 1, True
print(
    f"tokens per iteration: {gradient_accumulation_steps * world_size * batch_size * block_size}, ddp: {ddp}"
)
if master_process:
    os.makedirs(out_dir, exist_ok=True)
torch.manual_seed(seed + rank)
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
device_type = "cuda" if "cuda" in device else "cpu"
ptdtype = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[dtype]
ctx = nullcontext() if dtype == "float32" else torch.amp.autocast(device_type=device_type, dtype=ptdtype)

# -- data: words of a small language, as bytes -------------------------------------------------------------------------
for split, length, start in (("train", 4000, 0), ("val", 800, 1)):
    words = "to be or not to be that is the question whether it is nobler in the mind to suffer ".split()
    text = " ".join(words[(start + i * i) % len(words)] for i in range(length // 4))
    np.frombuffer(text.encode(), np.uint8).astype(np.uint16).tofile(os.path.join(out_dir, f"{split}.bin"))
vocab_size = 128


def get_batch(split):
    # a new memmap for each batch, so that none is kept open for the whole run
    data = np.memmap(os.path.join(out_dir, f"{split}.bin"), dtype=np.uint16, mode="r")
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([torch.from_numpy(data[i : i + block_size].astype(np.int64)) for i in ix])
    y = torch.stack([torch.from_numpy(data[i + 1 : i + 1 + block_size].astype(np.int64)) for i in ix])
    if device_type == "cuda":
        x, y = x.pin_memory().to(device, non_blocking=True), y.pin_memory().to(device, non_blocking=True)
    return x.to(device), y.to(device)


# -- model -------------------------------------------------------------------------------------------------------------
@dataclass
class GPTConfig:
    block_size: int
    vocab_size: int
    n_layer: int
    n_head: int
    n_embd: int
    dropout: float


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.qkv = nn.Linear(c.n_embd, 3 * c.n_embd, bias=False)
        self.proj = nn.Linear(c.n_embd, c.n_embd, bias=False)
        self.heads, self.dropout = c.n_head, c.dropout

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in self.qkv(x).split(C, 2))
        y = F.scaled_dot_product_attention(
            q, k, v, dropout_p=self.dropout if self.training else 0.0, is_causal=True
        )
        return self.proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(c.n_embd), nn.LayerNorm(c.n_embd)
        self.attention = Attention(c)
        self.mlp = nn.Sequential(
            nn.Linear(c.n_embd, 4 * c.n_embd), nn.GELU(), nn.Linear(4 * c.n_embd, c.n_embd)
        )

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.config = c
        self.tokens = nn.Embedding(c.vocab_size, c.n_embd)
        self.places = nn.Embedding(c.block_size, c.n_embd)
        self.blocks = nn.ModuleList([Block(c) for _ in range(c.n_layer)])
        self.ln = nn.LayerNorm(c.n_embd)
        self.head = nn.Linear(c.n_embd, c.vocab_size, bias=False)
        self.tokens.weight = self.head.weight
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx, targets=None):
        places = torch.arange(idx.size(1), dtype=torch.long, device=idx.device)
        x = self.tokens(idx) + self.places(places)
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln(x))
        if targets is None:
            return logits[:, [-1], :], None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)

    def configure_optimizers(self):
        found = {n: p for n, p in self.named_parameters() if p.requires_grad}
        groups = [
            {"params": [p for p in found.values() if p.dim() >= 2], "weight_decay": weight_decay},
            {"params": [p for p in found.values() if p.dim() < 2], "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=learning_rate, betas=(beta1, beta2), fused=device_type == "cuda")


iter_num, best_val_loss = 0, 1e9
checkpoint = None
if init_from == "resume":
    checkpoint = torch.load(os.path.join(out_dir, "ckpt.pt"), map_location=device, weights_only=True)
    model = GPT(GPTConfig(**checkpoint["model_args"]))
    prefix = "_orig_mod."  # of a compiled model's parameters
    model.load_state_dict({k.removeprefix(prefix): v for k, v in checkpoint["model"].items()})
    iter_num, best_val_loss = checkpoint["iter_num"], checkpoint["best_val_loss"]
    print(f"goes on from iteration {iter_num}")
else:
    model = GPT(GPTConfig(block_size, vocab_size, n_layer, n_head, n_embd, dropout))
model.to(device)
scaler = torch.amp.GradScaler(device_type, enabled=dtype == "float16")
optimizer = model.configure_optimizers()
if checkpoint is not None:
    optimizer.load_state_dict(checkpoint["optimizer"])
checkpoint = None
if compile:
    model = torch.compile(model)
if ddp:
    model = DDP(model)
raw_model = model.module if ddp else model


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in ("train", "val"):
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            x, y = get_batch(split)
            with ctx:
                _, loss = model(x, y)
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / (warmup_iters + 1)
    ratio = min((it - warmup_iters) / max(max_iters - warmup_iters, 1), 1.0)
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


x, y = get_batch("train")
while True:
    lr = get_lr(iter_num)
    for group in optimizer.param_groups:
        group["lr"] = lr
    if iter_num % eval_interval == 0 and master_process:
        losses = estimate_loss()
        print(f"step {iter_num}: train loss {losses['train']:.3f}, val loss {losses['val']:.3f}")
        if iter_num > 0:
            best_val_loss = min(best_val_loss, losses["val"].item())
            saved = {
                "model": raw_model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "model_args": asdict(raw_model.config),
                "iter_num": iter_num,
                "best_val_loss": best_val_loss,
                "config": config,
            }
            torch.save(saved, os.path.join(out_dir, "ckpt.pt"))
    for micro_step in range(gradient_accumulation_steps):
        if ddp:
            model.require_backward_grad_sync = micro_step == gradient_accumulation_steps - 1
        with ctx:
            logits, loss = model(x, y)
            loss = loss / gradient_accumulation_steps
        x, y = get_batch("train")
        scaler.scale(loss).backward()
    if grad_clip != 0.0:
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    iter_num += 1
    if iter_num > max_iters:
        break
if ddp:
    destroy_process_group()
