//! Kernel names as a narrow column can hold them.
//!
//! A templated name says what it does in its outermost function and in the functor deep inside its arguments; the rest
//! is plumbing. The full name is always in JSON, CSV, Markdown and the workbook.

use kforge_units::middle_short;

/// A kernel's name in at most `columns` characters: `elementwise_kernel·MulFunctor` for PyTorch's templates, the function
/// without namespaces and parameters for other C++, the middle shortened for what is still too long.
pub(crate) fn short_kernel(name: &str, columns: usize) -> String {
    let plain: String = name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if plain.chars().count() <= columns {
        return plain;
    }
    let body = plain.strip_prefix("void ").unwrap_or(&plain);
    let Some((path, inside)) = body.split_once('<') else {
        let function = body.split('(').next().unwrap_or(body);
        return middle_short(if function.is_empty() { body } else { last_part(function) }, columns);
    };
    // `(anonymous namespace)::` stands before the name and holds no template.
    let outer = last_part(path);
    let short = match functor(inside) {
        Some(functor) => format!("{outer}·{functor}"),
        None => body.replace("at::native::", "").replace("(anonymous namespace)::", ""),
    };
    middle_short(&short, columns)
}

fn last_part(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// The last word inside the arguments that names an operation.
fn functor(arguments: &str) -> Option<&str> {
    let mut words = arguments.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.rfind(|word| names_an_operation(word))
}

fn names_an_operation(word: &str) -> bool {
    const WRAPPERS: [&str; 4] = ["BinaryFunctor", "AUnaryFunctor", "BUnaryFunctor", "ReduceOp"];
    let names = word.contains("Functor")
        || word.ends_with("_kernel_cuda")
        || word.ends_with("Ops")
        || word.ends_with("Op");
    names && !WRAPPERS.contains(&word) && word.len() > 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pytorch_template_shows_its_function_and_its_functor() {
        let name = "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, int)::{lambda(int)#1}>";
        assert_eq!(short_kernel(name, 36), "elementwise_kernel·MulFunctor");
        let mean = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4, 4> >(at::native::ReduceOp)";
        assert_eq!(short_kernel(mean, 36), "reduce_kernel·MeanOps");
    }

    #[test]
    fn short_and_foreign_names_stay_recognisable() {
        assert_eq!(short_kernel("nvjet_sm90_tst_64x8_TNT", 36), "nvjet_sm90_tst_64x8_TNT");
        let long = "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN_1LDSB0_APM1_ABV0_ACED0_AF0EM1";
        assert!(short_kernel(long, 36).starts_with("Cijk_Ailk_Bljk"));
        assert_eq!(short_kernel(long, 36).chars().count(), 36);
        assert_eq!(
            short_kernel("ns::a_kernel_with_parameters(float const*, float*, int, long, long)", 36),
            "a_kernel_with_parameters"
        );
    }
}
