//! What tests share: where the corpus is, scratch repositories, fake runners.
