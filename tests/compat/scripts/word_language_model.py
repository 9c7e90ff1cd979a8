"""Word-level language models, an LSTM and a Transformer, the way PyTorch's example trains them: truncated
backpropagation, clipped gradients, a rate that is divided when validation does not improve, the best model saved as a
whole.

    word_language_model.py --model LSTM --save model.pt
"""

import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser(description="word language model")
parser.add_argument("--model", default="LSTM", choices=["RNN_TANH", "LSTM", "GRU", "Transformer"])
parser.add_argument("--emsize", type=int, default=16)
parser.add_argument("--nhid", type=int, default=16)
parser.add_argument("--nlayers", type=int, default=2)
parser.add_argument("--nhead", type=int, default=2)
parser.add_argument("--lr", type=float, default=20.0)
parser.add_argument("--clip", type=float, default=0.25)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--batch_size", type=int, default=4)
parser.add_argument("--bptt", type=int, default=8)
parser.add_argument("--dropout", type=float, default=0.0)
parser.add_argument("--tied", action="store_true")
parser.add_argument("--seed", type=int, default=1111)
parser.add_argument("--save", default="model.pt")
args = parser.parse_args()
torch.manual_seed(args.seed)
device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")


class Dictionary:
    def __init__(self):
        self.word2idx, self.idx2word = {}, []

    def add_word(self, word):
        if word not in self.word2idx:
            self.idx2word.append(word)
            self.word2idx[word] = len(self.idx2word) - 1
        return self.word2idx[word]


class Corpus:
    LINES = (
        "the cat sat on the mat",
        "the dog sat on the cat",
        "a bird sang to the dog",
        "the mat lay on the floor",
    )

    def __init__(self):
        self.dictionary = Dictionary()
        self.train, self.valid, self.test = self.tokenize(60), self.tokenize(12), self.tokenize(12)

    def tokenize(self, lines):
        ids = []
        for i in range(lines):
            words = [*self.LINES[i * i % 7 % len(self.LINES)].split(), "<eos>"]
            ids.append(torch.tensor([self.dictionary.add_word(w) for w in words]).type(torch.int64))
        return torch.cat(ids)


class RNNModel(nn.Module):
    """An encoder, a recurrent network, and a decoder, which may share the encoder's weights."""

    def __init__(self, kind, ntoken, ninp, nhid, nlayers, dropout, tied):
        super().__init__()
        self.ntoken = ntoken
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(ntoken, ninp)
        if kind in ("LSTM", "GRU"):
            self.rnn = getattr(nn, kind)(ninp, nhid, nlayers, dropout=dropout)
        else:
            self.rnn = nn.RNN(ninp, nhid, nlayers, nonlinearity="tanh", dropout=dropout)
        self.decoder = nn.Linear(nhid, ntoken)
        if tied:
            if nhid != ninp:
                raise ValueError("a tied decoder needs nhid equal to emsize")
            self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)
        self.kind, self.nhid, self.nlayers = kind, nhid, nlayers

    def forward(self, input, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(input)), hidden)
        decoded = self.decoder(self.drop(output)).view(-1, self.ntoken)
        return F.log_softmax(decoded, dim=1), hidden

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        zeros = weight.new_zeros(self.nlayers, bsz, self.nhid)
        return (zeros, weight.new_zeros(self.nlayers, bsz, self.nhid)) if self.kind == "LSTM" else zeros


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=500):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0).transpose(0, 1))

    def forward(self, x):
        return x + self.pe[: x.size(0), :]


class TransformerModel(nn.Transformer):
    def __init__(self, ntoken, ninp, nhead, nhid, nlayers, dropout):
        super().__init__(
            d_model=ninp, nhead=nhead, dim_feedforward=nhid, num_encoder_layers=nlayers, dropout=dropout
        )
        self.src_mask = None
        self.pos_encoder = PositionalEncoding(ninp)
        self.input_emb = nn.Embedding(ntoken, ninp)
        self.ninp, self.ntoken = ninp, ntoken
        self.decoder = nn.Linear(ninp, ntoken)
        nn.init.uniform_(self.input_emb.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)

    def forward(self, src):
        if self.src_mask is None or self.src_mask.size(0) != len(src):
            self.src_mask = torch.log(torch.tril(torch.ones(len(src), len(src)))).to(src.device)
        x = self.pos_encoder(self.input_emb(src) * math.sqrt(self.ninp))
        return F.log_softmax(self.decoder(self.encoder(x, mask=self.src_mask)), dim=-1)


def batchify(data, bsz):
    nbatch = data.size(0) // bsz
    return data.narrow(0, 0, nbatch * bsz).view(bsz, -1).t().contiguous().to(device)


def repackage_hidden(h):
    """The hidden state, cut off from how it came about."""
    return h.detach() if isinstance(h, torch.Tensor) else tuple(repackage_hidden(v) for v in h)


def get_batch(source, i):
    seq_len = min(args.bptt, len(source) - 1 - i)
    return source[i : i + seq_len], source[i + 1 : i + 1 + seq_len].view(-1)


corpus = Corpus()
train_data = batchify(corpus.train, args.batch_size)
val_data, test_data = batchify(corpus.valid, 2), batchify(corpus.test, 2)
ntokens = len(corpus.dictionary.idx2word)
is_transformer = args.model == "Transformer"
if is_transformer:
    model = TransformerModel(ntokens, args.emsize, args.nhead, args.nhid, args.nlayers, args.dropout)
else:
    model = RNNModel(args.model, ntokens, args.emsize, args.nhid, args.nlayers, args.dropout, args.tied)
model = model.to(device)
criterion = nn.NLLLoss()


def evaluate(source):
    model.eval()
    total = 0.0
    hidden = None if is_transformer else model.init_hidden(2)
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, args.bptt):
            data, targets = get_batch(source, i)
            if is_transformer:
                output = model(data).view(-1, ntokens)
            else:
                output, hidden = model(data, hidden)
                hidden = repackage_hidden(hidden)
            total += len(data) * criterion(output, targets).item()
    return total / (len(source) - 1)


def train(lr):
    model.train()
    total = 0.0
    hidden = None if is_transformer else model.init_hidden(args.batch_size)
    for i in range(0, train_data.size(0) - 1, args.bptt):
        data, targets = get_batch(train_data, i)
        model.zero_grad()
        if is_transformer:
            output = model(data).view(-1, ntokens)
        else:
            hidden = repackage_hidden(hidden)
            output, hidden = model(data, hidden)
        loss = criterion(output, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        for p in model.parameters():
            if p.grad is not None:  # an nn.Transformer's decoder takes no part
                p.data.add_(p.grad, alpha=-lr)
        total += len(data) * loss.item()
    return total / (len(train_data) - 1)


lr, best = args.lr, None
for epoch in range(1, args.epochs + 1):
    train_loss, val_loss = train(lr), evaluate(val_data)
    print(f"epoch {epoch}: train {train_loss:.3f}, valid {val_loss:.3f}, ppl {math.exp(val_loss):.2f}")
    if best is None or val_loss < best:
        with open(args.save, "wb") as f:
            torch.save(model, f)
        best = val_loss
    else:
        lr /= 4.0
with open(args.save, "rb") as f:
    model = torch.load(f, weights_only=False)
    if not is_transformer:
        model.rnn.flatten_parameters()
print(f"test {evaluate(test_data):.3f}")
