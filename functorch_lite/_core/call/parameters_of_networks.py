"""The meaning of the parameters of torch.nn.functional, by groups of functions; `parameters.py` says in which order
texts are looked up."""

from __future__ import annotations

__all__ = ["NETWORKS"]

_AFFINE = {
    "weight": "the factor for each channel or element. None (the default) multiplies by nothing.",
    "bias": "the summand for each channel or element. None (the default) adds nothing.",
}
_STATISTICS = {
    "running_mean": "the running means, one for each channel, updated in training. None (the default, where there is one) keeps none.",
    "running_var": "the running variances, one for each channel, updated in training. None (the default, where there is one) keeps none.",
    "momentum": "the weight of the new batch in the running statistics.",
    "eps": "a small number added to the variance.",
}

NETWORKS = (
    # -- layers with weights
    ("linear", {
        "input": "the input, of shape (..., in_features).", "weight": "the weights, of shape (out_features, in_features) or (in_features,).",
        "bias": "the bias, of shape (out_features,). None (the default) adds none.",
    }),
    ("conv1d conv2d conv3d convolution", {
        "input": "the input, of shape (N, C_in, ...) or, for one sample, (C_in, ...).", "weight": "the kernels, of shape (C_out, C_in / groups, ...).",
    }),
    ("conv_transpose1d conv_transpose2d conv_transpose3d", {
        "input": "the input, of shape (N, C_in, ...) or, for one sample, (C_in, ...).", "weight": "the kernels, of shape (C_in, C_out / groups, ...).",
        "padding": "how much is cropped from both ends of each dim, as an int or a tuple: dilation * (kernel_size - 1) - padding zeros are added.",
    }),
    ("conv1d conv2d conv3d convolution conv_transpose1d conv_transpose2d conv_transpose3d", {
        "bias": "the bias, of shape (C_out,). None (the default) adds none.", "stride": "the distance between windows: an int, or one for each dim.",
        "padding": 'the zeros added at both ends of each dim: an int, one for each dim, or "valid" (none) or "same" (the output has the size of the input; stride 1).',
        "dilation": "the distance between the elements of a kernel: an int, or one for each dim.", "groups": "the number of groups of channels that are convolved apart; it divides C_in and C_out.",
        "output_padding": "the size added to one end of each dim of the output: an int, or one for each dim.", "transposed": "whether the transposed convolution is computed.",
    }),
    ("conv_tbc", {
        "input": "the input, of shape (time, batch, C_in).", "weight": "the kernels, of shape (width, C_in, C_out).", "bias": "the bias, of shape (C_out,).",
        "pad": "the zeros added at both ends of the time.",
    }),
    ("torch.embedding", {
        "weight": "the vectors, of shape (number of vectors, dim).", "indices": "the rows to look up, int64 or int32, of any shape.", "padding_idx": "the row that gets no gradient; -1 means none.",
    }),
    ("embedding embedding_bag", {
        "input": "the rows to look up, int64 or int32.", "indices": "the rows to look up, int64 or int32.", "weight": "the vectors, of shape (number of vectors, dim).",
        "padding_idx": "the row that gets no gradient. None (the default) means none.", "max_norm": "if given, looked-up rows with a larger norm are scaled down to it, in place. None (the default) scales nothing.",
        "norm_type": "the order of the norm for `max_norm`.", "scale_grad_by_freq": "whether gradients are divided by how often a row occurs in the batch.",
        "sparse": "whether the gradient of `weight` is a sparse tensor.", "offsets": "where each bag begins in a 1-D `input`. None (the default) if `input` is 2-D, with one bag in each row.",
        "mode": 'how a bag is reduced: "sum", "mean" or "max" (torch.embedding_bag takes 0, 1 or 2).', "per_sample_weights": 'one weight for each element of `input`, for mode "sum". None (the default) weighs all with 1.',
        "include_last_offset": "whether `offsets` has the end of the last bag as a further element.",
    }),
    ("embedding_renorm_", {"input": "the vectors.", "indices": "the rows to scale.", "max_norm": "the largest norm that a row may keep.", "norm_type": "the order of the norm."}),
    ("one_hot", {"input": "the classes, int64.", "num_classes": "the number of classes; -1 takes one more than the largest."}),
    ("bilinear", {
        "input1": "the first input, of shape (..., in1).", "input2": "the second input, of shape (..., in2).", "weight": "the weights, of shape (out, in1, in2).",
        "bias": "the bias, of shape (out,). None (the default) adds none.",
    }),
    ("grouped_mm", {
        "mat_a": "the first matrix or batch of matrices.", "mat_b": "the second matrix or batch of matrices.", "offs": "the ends of the groups, 1-D, int32. None (the default) if both are 3-D.",
        "bias": "must be None, as in PyTorch on a CPU.", "out_dtype": "must be None or the dtype of the inputs, as in PyTorch on a CPU.",
    }),
    # -- recurrent cells
    ("gru_cell lstm_cell rnn_tanh_cell rnn_relu_cell", {
        "input": "the input, of shape (N, input_size).", "hx": "the hidden state, of shape (N, hidden_size); for an LSTM the pair (h, c).", "w_ih": "the weights of the input, of shape (gates * hidden_size, input_size).",
        "w_hh": "the weights of the state, of shape (gates * hidden_size, hidden_size).", "b_ih": "the bias of the input. None (the default) adds none.", "b_hh": "the bias of the state. None (the default) adds none.",
    }),
    # -- pooling
    ("adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d "
     "adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices adaptive_max_pool3d_with_indices", {
        "output_size": "the size of the output: an int, or one for each dim; None keeps the size of a dim.",
    }),
    ("lp_pool1d lp_pool2d lp_pool3d", {"norm_type": "the order p of the power mean.", "stride": "the distance between windows. None (the default) is `kernel_size`."}),
    ("fractional_max_pool2d fractional_max_pool3d fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices", {
        "output_size": "the size of the output: an int, or one for each dim. None (the default) if `output_ratio` is given.",
        "output_ratio": "the size of the output as a fraction of the input's, in (0, 1). None (the default) if `output_size` is given.",
    }),
    ("max_unpool1d max_unpool2d max_unpool3d", {
        "input": "the pooled values.", "indices": "the positions of the values, as max pooling with `return_indices=True` returns them.",
        "output_size": "the shape of the output. None (the default) computes the smallest from the window.",
    }),
    ("avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d lp_pool1d lp_pool2d lp_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices "
     "max_unpool1d max_unpool2d max_unpool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices "
     "adaptive_max_pool3d_with_indices adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d fractional_max_pool2d fractional_max_pool3d fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices", {
        "input": "the input, of shape (N, C, ...) or, for one sample, (C, ...).", "kernel_size": "the size of the window: an int, or one for each dim.",
        "stride": "the distance between windows: an int, or one for each dim. None or () (the default) is `kernel_size`.",
        "padding": "how far both ends of each dim are padded: an int, or one for each dim; at most half the window.",
        "dilation": "the distance between the elements of a window: an int, or one for each dim.", "ceil_mode": "whether the size of the output is rounded up, so that the last window may reach over the end.",
        "count_include_pad": "whether zeros of the padding count in the mean.", "divisor_override": "the divisor of the mean. None (the default) is the size of the window.",
        "return_indices": "whether to also return the positions of the maxima.",
    }),
    # -- normalization
    ("batch_norm instance_norm", {
        "input": "the input, of shape (N, C, ...).", **_AFFINE, **_STATISTICS, "training": "whether the statistics of the batch are used. False uses the running ones.",
        "use_input_stats": "whether the statistics of the input are used. False uses the running ones.", "cudnn_enabled": "PyTorch's choice of a kernel; it changes nothing here.",
    }),
    ("group_norm layer_norm rms_norm", {
        **_AFFINE, "num_groups": "the number of groups of channels; it divides the number of channels.", "normalized_shape": "the sizes of the last dims, over which the input is normalized: an int or a tuple of ints.",
        "cudnn_enabled": "PyTorch's choice of a kernel; it changes nothing here.", "cudnn_enable": "PyTorch's choice of a kernel; it changes nothing here.",
    }),
    ("rms_norm", {"eps": "a small number added to the mean of squares. None (the default) is the epsilon of the dtype."}),
    ("group_norm layer_norm", {"eps": "a small number added to the variance."}),
    ("local_response_norm", {"size": "the number of neighbouring channels.", "alpha": "the factor of the mean of squares.", "beta": "the exponent.", "k": "the summand."}),
    ("normalize", {"p": "the order of the norm.", "dim": "the dim of the vectors: an int or a tuple of ints.", "eps": "the least divisor."}),
    # -- activations
    ("softmax softmin log_softmax", {
        "dim": "the dim along which the results add up to 1. In nn.functional, None (the default) chooses it as PyTorch does, with a warning.",
        "dtype": "the dtype to which `input` is cast first. None (the default) keeps its own.",
    }),
    ("gumbel_softmax", {
        "logits": "the logarithms of the probabilities, not necessarily normalized.", "tau": "the temperature, positive.", "hard": "whether the result is one-hot, with the gradient of the soft one.",
        "eps": "PyTorch's deprecated parameter; it changes nothing.", "dim": "the dim along which the results add up to 1.",
    }),
    ("elu celu", {"alpha": "the scale of the exponential for negative inputs."}),
    ("leaky_relu", {"negative_slope": "the slope for negative inputs."}),
    ("prelu", {"weight": "the slope for negative inputs: one number, or one for each channel."}),
    ("rrelu", {"lower": "the smallest slope for negative inputs.", "upper": "the largest slope for negative inputs.", "training": "whether slopes are drawn at random. False takes the mean of the bounds."}),
    ("gelu", {"approximate": '"none" for the exact function, "tanh" for an approximation by tanh.'}),
    ("hardtanh", {"min_val": "the lower bound.", "max_val": "the upper bound."}),
    ("softplus", {"beta": "the steepness.", "threshold": "where beta * input exceeds this, the result is `input` itself."}),
    ("threshold", {"threshold": "inputs up to this number are replaced.", "value": "the number that replaces them."}),
    ("glu", {"dim": "the dim to halve."}),
    ("dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout feature_dropout", {
        "p": "the probability that an element (or a channel) is dropped, in [0, 1].", "training": "whether anything is dropped. False returns the input.",
        "train": "whether anything is dropped. False returns the input.",
    }),
    # -- attention
    ("scaled_dot_product_attention", {
        "query": "the queries, of shape (..., L, E).", "key": "the keys, of shape (..., S, E).", "value": "the values, of shape (..., S, F).",
        "attn_mask": "a bool mask (True where a query may attend) or one that is added to the scores; it broadcasts to (..., L, S). None (the default) masks nothing.",
        "dropout_p": "the probability that a weight is dropped.", "is_causal": "whether a query attends only to keys up to its own position.",
        "scale": "the factor of the scores. None (the default) is 1 / sqrt(E).", "enable_gqa": "whether `key` and `value` may have fewer heads (dim -3), which are repeated.",
    }),
    ("multi_head_attention_forward", {
        "query": "the queries, of shape (L, N, E).", "key": "the keys, of shape (S, N, E).", "value": "the values, of shape (S, N, E).", "embed_dim_to_check": "the expected E.",
        "num_heads": "the number of heads; it divides E.", "in_proj_weight": "the weights of the three projections, of shape (3 E, E). None if `use_separate_proj_weight`.",
        "in_proj_bias": "the biases of the three projections, of shape (3 E,), or None.", "bias_k": "a key that is appended, of shape (1, 1, E), or None.", "bias_v": "a value that is appended, of shape (1, 1, E), or None.",
        "add_zero_attn": "whether a key and a value of zeros are appended.", "dropout_p": "the probability that a weight is dropped in training.", "out_proj_weight": "the weights of the last projection, of shape (E, E).",
        "out_proj_bias": "the bias of the last projection, of shape (E,), or None.", "training": "whether dropout is applied.", "key_padding_mask": "a mask of shape (N, S); True (or -inf, in an added mask) ignores a key. None (the default) ignores none.",
        "need_weights": "whether the attention weights are returned as well.", "attn_mask": "a mask of shape (L, S) or (N * num_heads, L, S): True forbids attention, floats are added. None (the default) masks nothing.",
        "use_separate_proj_weight": "whether the three weights are given separately.", "q_proj_weight": "the weights for `query`, or None.", "k_proj_weight": "the weights for `key`, or None.", "v_proj_weight": "the weights for `value`, or None.",
        "static_k": "keys that replace the projected ones, or None.", "static_v": "values that replace the projected ones, or None.", "average_attn_weights": "whether the returned weights are averaged over the heads.",
        "is_causal": "a hint that `attn_mask` is causal.",
    }),
    # -- losses
    ("cross_entropy", {
        "input": "the logits, of shape (C,), (N, C) or (N, C, ...).", "target": "the classes, int64, of shape (), (N,) or (N, ...); or probabilities in the shape of `input`.",
        "label_smoothing": "how much of the probability is spread evenly over all classes, in [0, 1].",
    }),
    ("nll_loss", {"input": "the logarithms of the probabilities, of shape (C,), (N, C) or (N, C, ...).", "target": "the classes, int64, of shape (), (N,) or (N, ...)."}),
    ("linear_cross_entropy", {
        "input": "the features, of shape (N, F) or (F,).", "linear_weight": "the weights of the linear layer, of shape (C, F) or (C, ..., F).", "target": "the classes, int64.",
        "linear_bias": "the bias of the linear layer. None (the default) adds none.", "ignore_index": "a class that is left out. None (the default) leaves out none.",
        "label_smoothing": "how much of the probability is spread evenly over all classes, in [0, 1].", "options": "an `nn.LinearCrossEntropyOptions`; it changes no result. None (the default) sets none.",
    }),
    ("cross_entropy nll_loss linear_cross_entropy", {
        "weight": "one weight for each class, of shape (C,). None (the default) weighs all with 1.", "ignore_index": "a class that is left out of the loss and of the gradient.",
    }),
    ("binary_cross_entropy binary_cross_entropy_with_logits", {
        "input": "the probabilities, or for the function with logits their logits.", "target": "the wanted probabilities, in the shape of `input`.", "weight": "a factor for each element; it broadcasts. None (the default) is 1.",
        "pos_weight": "a factor for the positive class; it broadcasts with `target`. None (the default) is 1.",
    }),
    ("kl_div", {"input": "the logarithms of the probabilities.", "target": "the probabilities, or their logarithms if `log_target`.", "log_target": "whether `target` has logarithms."}),
    ("mse_loss l1_loss huber_loss smooth_l1_loss", {
        "target": "the wanted values, in the shape of `input`.", "weight": "a factor for each element. None (the default) is 1.",
        "delta": "the distance at which the loss changes from quadratic to linear.", "beta": "the distance at which the loss changes from quadratic to linear.",
    }),
    ("poisson_nll_loss", {
        "input": "the rates, or their logarithms if `log_input`.", "target": "the counts.", "log_input": "whether `input` has logarithms.", "full": "whether Stirling's approximation of the constant is added.",
        "eps": "a small number that keeps log(0) away if not `log_input`.",
    }),
    ("gaussian_nll_loss", {
        "input": "the means.", "target": "the observations.", "var": "the variances, not negative: a tensor or a number.", "full": "whether the constant is added.", "eps": "the least variance.",
    }),
    ("hinge_embedding_loss", {"input": "the distances.", "target": "1 or -1, in the shape of `input`.", "margin": "the least distance of pairs with target -1."}),
    ("margin_ranking_loss", {"input1": "the first scores.", "input2": "the second scores.", "target": "1 if the first should be larger, else -1.", "margin": "the least difference."}),
    ("cosine_embedding_loss", {"input1": "the first vectors, of shape (N, D) or (D,).", "input2": "the second vectors.", "target": "1 for similar pairs, -1 for others.", "margin": "the largest cosine of pairs with target -1 that costs nothing."}),
    ("triplet_margin_loss triplet_margin_with_distance_loss", {
        "anchor": "the anchors, of shape (N, D) or (D,).", "positive": "vectors that should be near.", "negative": "vectors that should be far.", "margin": "the least difference of the distances.", "p": "the order of the norm.",
        "eps": "a small number added to the difference.", "swap": "whether the distance of positive and negative is taken where it is smaller.", "distance_function": "a function of two batches of vectors. None (the default) is the Euclidean distance.",
    }),
    ("multi_margin_loss", {"input": "the scores, of shape (N, C) or (C,).", "target": "the classes, int64.", "p": "the exponent: 1 or 2.", "margin": "the least difference of scores.", "weight": "one weight for each class. None (the default) weighs all with 1."}),
    ("multilabel_margin_loss", {"input": "the scores, of shape (N, C) or (C,).", "target": "the classes of each sample, int64, filled up with -1."}),
    ("multilabel_soft_margin_loss", {"input": "the logits, of shape (N, C).", "target": "0 or 1, in the shape of `input`.", "weight": "one weight for each class. None (the default) weighs all with 1."}),
    ("soft_margin_loss", {"target": "1 or -1, in the shape of `input`."}),
    ("ctc_loss", {
        "log_probs": "the logarithms of the probabilities, of shape (T, N, C) or (T, C).", "targets": "the target sequences, of shape (N, S), or all joined in one dim.", "input_lengths": "the length of each input.",
        "target_lengths": "the length of each target.", "blank": "the class of the blank.", "zero_infinity": "whether infinite losses and their gradients become 0.",
    }),
    ("torch.binary_cross_entropy_with_logits torch.cosine_embedding_loss torch.ctc_loss torch.hinge_embedding_loss torch.kl_div torch.margin_ranking_loss torch.poisson_nll_loss torch.triplet_margin_loss", {
        "reduction": "0 for the loss of each sample, 1 for the mean, 2 for the sum.",
    }),
    ("ctc_loss kl_div gaussian_nll_loss huber_loss cross_entropy nll_loss linear_cross_entropy binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss smooth_l1_loss poisson_nll_loss "
     "hinge_embedding_loss margin_ranking_loss cosine_embedding_loss triplet_margin_loss triplet_margin_with_distance_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss soft_margin_loss", {
        "reduction": '"none" for the loss of each element or sample, "mean" or "sum".', "size_average": "deprecated; use `reduction`. None (the default) leaves it to that.",
        "reduce": "deprecated; use `reduction`. None (the default) leaves it to that.",
    }),
    # -- distances
    ("cosine_similarity pairwise_distance", {
        "x1": "the first vectors.", "x2": "the second vectors; they broadcast with the first.", "dim": "the dim of the vectors.", "eps": "a small number: the least product of norms, or a summand of the difference.",
        "p": "the order of the norm.",
    }),
    ("pdist", {"input": "the points, of shape (N, M).", "p": "the order of the norm."}),
    # -- images
    ("interpolate upsample upsample_nearest upsample_bilinear", {
        "input": "the input, of shape (N, C, ...).", "size": "the sizes of the output: an int, or one for each dim. None (the default) if `scale_factor` is given.",
        "scale_factor": "the factors of the sizes: a number, or one for each dim. None (the default) if `size` is given.",
        "mode": '"nearest", "nearest-exact", "linear" (3-D), "bilinear", "bicubic" or "lanczos" (4-D), "trilinear" (5-D) or "area".',
        "align_corners": "whether the corners of input and output coincide. None (the default) means False.",
        "recompute_scale_factor": "whether the scale is computed from the rounded sizes. None (the default) means False.", "antialias": "whether the filter widens as the image shrinks (4-D).",
    }),
    ("grid_sample grid_sampler grid_sampler_2d grid_sampler_3d", {
        "input": "the images, of shape (N, C, H, W) or (N, C, D, H, W).", "grid": "the positions to sample, of shape (N, ..., 2) or (N, ..., 3); -1 and 1 are the ends.",
        "mode": '"bilinear", "nearest" or "bicubic".', "padding_mode": '"zeros", "border" or "reflection": values outside of the image (an int in torch.grid_sampler).',
        "interpolation_mode": "0 for bilinear, 1 for nearest, 2 for bicubic.", "align_corners": "whether -1 and 1 are the centres of the corner pixels. None (the default) means False.",
    }),
    ("affine_grid affine_grid_generator", {
        "theta": "the affine maps, of shape (N, 2, 3) or (N, 3, 4).", "size": "the shape of the images: (N, C, H, W) or (N, C, D, H, W).",
        "align_corners": "whether -1 and 1 are the centres of the corner pixels. None (the default) means False.",
    }),
    ("fold unfold", {
        "output_size": "the sizes (H, W) of the image.", "kernel_size": "the size of the blocks: an int or a pair.", "dilation": "the distance between the elements of a block: an int or a pair.",
        "padding": "the zeros around the image: an int or a pair.", "stride": "the distance between blocks: an int or a pair.",
    }),
    ("pad", {
        "pad": "the sizes before and after each dim, from the last dim backwards; negative ones crop.", "mode": '"constant", "reflect", "replicate" or "circular".',
        "value": 'the number for mode "constant". None (the default) is 0.',
    }),
    ("pixel_shuffle", {"upscale_factor": "the factor r by which the image grows."}),
    ("pixel_unshuffle", {"downscale_factor": "the factor r by which the image shrinks."}),
    ("channel_shuffle", {"groups": "the number of groups of channels."}),
)  # fmt: skip
"""(names of functions, {parameter: text}); a name may be qualified by its namespace, as "torch.ctc_loss"."""
