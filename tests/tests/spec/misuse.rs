//! What the types rule out: each file of `tests/misuse` must fail to compile, for the reason that
//! stands beside it.

#[test]
fn no_way_around_the_boundary_compiles() {
    trybuild::TestCases::new().compile_fail("tests/misuse/*.rs");
}
