"""The pages people look at: the viewer of reports and evidence, the blind A/B page. Loopback only, nothing from outside."""
