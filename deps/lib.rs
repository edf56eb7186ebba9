// Empty on purpose: this crate only pins the source packages that ./dev setup unpacks.
