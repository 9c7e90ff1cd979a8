"""torch.utils.data.datapipes.utils: files, decoders and snapshots for datapipes."""
