//! Small arithmetic over the parameters of a case: shapes, counts of bytes and operations, constraints of the domain.
//!
//! Whole numbers only. It refuses, with the column, what it cannot read, and, with the values, what has no whole answer
//! (an inexact `/`, a division by zero, a result beyond 64 bits). Nothing is ever executed.
//!
//! Invariant: the same text and the same parameters give the same number everywhere; there is no float on the way.

use std::collections::BTreeMap;
use std::fmt;

/// The whole-number parameters of a case, by name.
pub type Params = BTreeMap<String, i64>;

/// A parsed expression, with its source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    text: String,
    root: Node,
}

/// Why an expression has no value, or is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// A lowercase fact.
    pub message: String,
    /// The byte in the expression's text, from 0; absent where the fact is about its value.
    pub at: Option<usize>,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => write!(f, "{} at column {}", self.message, at + 1),
            None => f.write_str(&self.message),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Number(i128),
    Name(String),
    Negate(Box<Node>),
    Not(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Floor,
    Remainder,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Min,
    Max,
    CeilDiv,
}

/// Deep enough for anything a person writes, shallow enough for the stack.
const DEEPEST: usize = 64;
/// Longest text, bytes: a sum of many terms is a deep tree too.
const LONGEST: usize = 4096;
/// The level of comparisons: `not` binds more loosely than they do, and they do not chain.
const COMPARISONS: usize = 2;

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// Where the text is no expression; the column says where.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        if text.len() > LONGEST {
            let message = format!("it has {} bytes, and more than {LONGEST} are not read", text.len());
            return Err(ExpressionError { message, at: None });
        }
        let root = parser.any()?;
        parser.blank();
        if parser.at < text.len() {
            return Err(parser.fail("something is left over"));
        }
        Ok(Self { text: text.to_owned(), root })
    }

    /// The source text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value for these parameters.
    ///
    /// # Errors
    /// An unknown parameter, an inexact or impossible division, an overflow.
    pub fn value(&self, params: &Params) -> Result<i64, ExpressionError> {
        let wide = evaluate(&self.root, params)?;
        i64::try_from(wide)
            .map_err(|_| plain(format!("`{}` is {wide}, which does not fit 64 bits", self.text)))
    }

    /// Names that the expression uses, each once, in the order of first use.
    pub fn names(&self) -> Vec<&str> {
        let mut found = Vec::new();
        collect(&self.root, &mut found);
        found
    }
}

fn collect<'a>(node: &'a Node, found: &mut Vec<&'a str>) {
    match node {
        Node::Number(_) => {}
        Node::Name(name) => {
            if !found.contains(&name.as_str()) {
                found.push(name);
            }
        }
        Node::Negate(inner) | Node::Not(inner) => collect(inner, found),
        Node::Binary(_, left, right) => {
            collect(left, found);
            collect(right, found);
        }
        Node::Call(_, arguments) => arguments.iter().for_each(|argument| collect(argument, found)),
    }
}

fn plain(message: String) -> ExpressionError {
    ExpressionError { message, at: None }
}

fn evaluate(node: &Node, params: &Params) -> Result<i128, ExpressionError> {
    match node {
        Node::Number(value) => Ok(*value),
        Node::Name(name) => params.get(name).map(|value| i128::from(*value)).ok_or_else(|| {
            let known: Vec<&str> = params.keys().map(String::as_str).collect();
            plain(format!("`{name}` is not a parameter of the case (it has {})", known.join(", ")))
        }),
        Node::Negate(inner) => evaluate(inner, params)?.checked_neg().ok_or_else(too_large),
        Node::Not(inner) => Ok(i128::from(evaluate(inner, params)? == 0)),
        Node::Binary(operator, left, right) => {
            let left = evaluate(left, params)?;
            // `and` and `or` stop early, so that `n > 0 and m % n == 0` is safe to write.
            match operator {
                Operator::And if left == 0 => return Ok(0),
                Operator::Or if left != 0 => return Ok(1),
                _ => {}
            }
            binary(*operator, left, evaluate(right, params)?)
        }
        Node::Call(function, arguments) => {
            let values: Vec<i128> =
                arguments.iter().map(|a| evaluate(a, params)).collect::<Result<_, _>>()?;
            call(*function, &values)
        }
    }
}

fn too_large() -> ExpressionError {
    plain("a value on the way does not fit".to_owned())
}

fn binary(operator: Operator, left: i128, right: i128) -> Result<i128, ExpressionError> {
    let truth = |condition: bool| Ok(i128::from(condition));
    match operator {
        Operator::Or | Operator::And => truth(right != 0),
        Operator::Less => truth(left < right),
        Operator::LessEqual => truth(left <= right),
        Operator::Greater => truth(left > right),
        Operator::GreaterEqual => truth(left >= right),
        Operator::Equal => truth(left == right),
        Operator::NotEqual => truth(left != right),
        Operator::Add => left.checked_add(right).ok_or_else(too_large),
        Operator::Subtract => left.checked_sub(right).ok_or_else(too_large),
        Operator::Multiply => left.checked_mul(right).ok_or_else(too_large),
        Operator::Divide => {
            let whole = floor_div(left, right)?;
            if whole * right == left {
                Ok(whole)
            } else {
                Err(plain(format!("{left} / {right} is not whole; write // or ceil_div")))
            }
        }
        Operator::Floor => floor_div(left, right),
        Operator::Remainder => Ok(left - floor_div(left, right)? * right),
        Operator::Power => {
            let exponent =
                u32::try_from(right).map_err(|_| plain(format!("{left} ** {right} is not whole")))?;
            left.checked_pow(exponent).ok_or_else(too_large)
        }
    }
}

fn floor_div(left: i128, right: i128) -> Result<i128, ExpressionError> {
    if right == 0 {
        return Err(plain(format!("{left} is divided by zero")));
    }
    let quotient = left.checked_div(right).ok_or_else(too_large)?;
    Ok(if (left % right != 0) && ((left < 0) != (right < 0)) { quotient - 1 } else { quotient })
}

fn call(function: Function, values: &[i128]) -> Result<i128, ExpressionError> {
    match (function, values) {
        (Function::Min, [first, rest @ ..]) => Ok(rest.iter().fold(*first, |a, b| a.min(*b))),
        (Function::Max, [first, rest @ ..]) => Ok(rest.iter().fold(*first, |a, b| a.max(*b))),
        (Function::CeilDiv, [left, right]) => {
            floor_div(left.checked_neg().ok_or_else(too_large)?, *right)?.checked_neg().ok_or_else(too_large)
        }
        (Function::CeilDiv, _) => Err(plain("ceil_div takes two values".to_owned())),
        (Function::Min | Function::Max, []) => Err(plain("min and max take at least one value".to_owned())),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// Binary operators by rising precedence; longer spellings come before their prefixes.
const LEVELS: [&[(&str, Operator)]; 5] = [
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[
        ("<=", Operator::LessEqual),
        (">=", Operator::GreaterEqual),
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[
        ("//", Operator::Floor),
        ("*", Operator::Multiply),
        ("/", Operator::Divide),
        ("%", Operator::Remainder),
    ],
];

impl Parser<'_> {
    fn fail(&self, message: &str) -> ExpressionError {
        ExpressionError { message: format!("`{}`: {message}", self.text), at: Some(self.at) }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blank(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn any(&mut self) -> Result<Node, ExpressionError> {
        self.level(0)
    }

    fn level(&mut self, level: usize) -> Result<Node, ExpressionError> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        if level == COMPARISONS {
            return self.comparison(operators);
        }
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.take(operators) {
            let right = self.level(level + 1)?;
            left = Node::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn comparison(&mut self, operators: &[(&str, Operator)]) -> Result<Node, ExpressionError> {
        self.blank();
        if self.rest().strip_prefix("not").is_some_and(|after| !after.starts_with(is_word)) {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(self.fail("it is nested too deeply"));
            }
            self.at += 3;
            let inner = self.comparison(operators)?;
            self.depth -= 1;
            return Ok(Node::Not(Box::new(inner)));
        }
        let left = self.level(COMPARISONS + 1)?;
        let Some(operator) = self.take(operators) else { return Ok(left) };
        let right = self.level(COMPARISONS + 1)?;
        let start = self.at;
        if self.take(operators).is_some() {
            self.at = start;
            return Err(self.fail("comparisons do not chain; write `a <= b and b <= c`"));
        }
        Ok(Node::Binary(operator, Box::new(left), Box::new(right)))
    }

    fn take(&mut self, operators: &[(&str, Operator)]) -> Option<Operator> {
        self.blank();
        let rest = self.rest();
        let (spelling, operator) = operators.iter().find(|(spelling, operator)| {
            // `**` is not `*`, and a word operator ends where its word ends.
            let power = *operator == Operator::Multiply && rest.starts_with("**");
            let word = spelling.starts_with(char::is_alphabetic)
                && rest.get(spelling.len()..).is_some_and(|after| after.starts_with(is_word));
            rest.starts_with(spelling) && !power && !word
        })?;
        self.at += spelling.len();
        Some(*operator)
    }

    fn unary(&mut self) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fail("it is nested too deeply"));
        }
        self.blank();
        let negated = if self.rest().starts_with('-') {
            self.at += 1;
            Node::Negate(Box::new(self.unary()?))
        } else {
            self.power()?
        };
        self.depth -= 1;
        Ok(negated)
    }

    fn power(&mut self) -> Result<Node, ExpressionError> {
        let base = self.atom()?;
        self.blank();
        if self.rest().starts_with("**") {
            self.at += 2;
            let exponent = self.unary()?;
            return Ok(Node::Binary(Operator::Power, Box::new(base), Box::new(exponent)));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Node, ExpressionError> {
        self.blank();
        let rest = self.rest();
        match rest.chars().next() {
            Some('(') => {
                self.at += 1;
                let inner = self.any()?;
                self.expect(')')?;
                Ok(inner)
            }
            Some(digit) if digit.is_ascii_digit() => {
                let end = rest.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(rest.len());
                let digits: String = rest.chars().take(end).filter(|c| *c != '_').collect();
                let value = digits.parse::<i64>().map_err(|_| self.fail("a number does not fit 64 bits"))?;
                self.at += end;
                Ok(Node::Number(i128::from(value)))
            }
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => {
                let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                let name = rest.get(..end).unwrap_or("").to_owned();
                let start = self.at;
                self.at += end;
                self.blank();
                if self.rest().starts_with('(') {
                    return self.arguments(&name, start);
                }
                Ok(Node::Name(name))
            }
            Some(_) => Err(self.fail("a number, a parameter or `(` was expected")),
            None => Err(self.fail("it ends early")),
        }
    }

    fn arguments(&mut self, name: &str, start: usize) -> Result<Node, ExpressionError> {
        let function = match name {
            "min" => Function::Min,
            "max" => Function::Max,
            "ceil_div" => Function::CeilDiv,
            _ => {
                self.at = start;
                return Err(self.fail(&format!("`{name}` is no function (min, max and ceil_div are)")));
            }
        };
        self.expect('(')?;
        let mut arguments = vec![self.any()?];
        self.blank();
        while self.rest().starts_with(',') {
            self.at += 1;
            arguments.push(self.any()?);
            self.blank();
        }
        self.expect(')')?;
        Ok(Node::Call(function, arguments))
    }

    fn expect(&mut self, sign: char) -> Result<(), ExpressionError> {
        self.blank();
        if self.rest().starts_with(sign) {
            self.at += sign.len_utf8();
            return Ok(());
        }
        Err(self.fail(&format!("`{sign}` was expected")))
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Result<i64, String> {
        let params = Params::from([("m".to_owned(), 7), ("n".to_owned(), 4096)]);
        Expression::parse(text).and_then(|e| e.value(&params)).map_err(|e| e.to_string())
    }

    // Values computed by Python 3.11, whose operators these are.
    #[test]
    fn arithmetic_is_that_of_python() {
        for (text, expected) in [
            ("2 + 3 * 4", 14),
            ("(2 + 3) * 4", 20),
            ("-2 ** 2", -4),
            ("2 ** 3 ** 2", 512),
            ("-7 // 2", -4),
            ("-7 % 3", 2),
            ("7 % -3", -2),
            ("m * n * 4 + n", 118_784),
            ("min(m, n, 3) + max(m, 2)", 10),
            ("ceil_div(m, 2)", 4),
            ("m > 3 and n % 8 == 0", 1),
            ("not m or m == 8", 0),
            ("4_096 / 2", 2048),
            ("10 - 2 - 3", 5),
            ("2 * -3", -6),
            ("not n % 8 == 0", 0),
            ("not m % 8 == 0", 1),
            ("not not m == 7", 1),
            ("m == 7 and not n == 7", 1),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_whole_value_says_why() {
        assert_eq!(value("m / 2"), Err("7 / 2 is not whole; write // or ceil_div".to_owned()));
        assert_eq!(value("m // (n - 4096)"), Err("7 is divided by zero".to_owned()));
        assert_eq!(value("k"), Err("`k` is not a parameter of the case (it has m, n)".to_owned()));
        assert_eq!(value("9223372036854775807 + 1").map_err(|e| e.contains("64 bits")), Err(true));
        assert_eq!(value("2 ** -1"), Err("2 ** -1 is not whole".to_owned()));
    }

    #[test]
    fn what_is_no_expression_says_where() {
        assert_eq!(value("m +"), Err("`m +`: it ends early at column 4".to_owned()));
        assert_eq!(value("m n"), Err("`m n`: something is left over at column 3".to_owned()));
        assert_eq!(
            value("eval(m)"),
            Err("`eval(m)`: `eval` is no function (min, max and ceil_div are) at column 1".to_owned())
        );
        assert!(value(&"(".repeat(4_000)).is_err() && value(&"not ".repeat(1_000)).is_err());
        // The deepest tree of a text that is read at all.
        assert_eq!(value(&format!("m{}", "+m".repeat(2_000))), Ok(7 * 2_001));
        assert!(value(&format!("m{}", "+0".repeat(200_000))).unwrap_err().contains("400001 bytes"));
    }

    #[test]
    fn comparisons_that_would_mean_something_else_than_they_say_are_refused() {
        let refused = value("64 <= m <= 128").unwrap_err();
        assert!(refused.contains("do not chain") && refused.ends_with("column 9"), "{refused}");
        assert_eq!(value("(64 <= n) == (m < 8)"), Ok(1));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = value(&text);
        }

        #[test]
        fn floor_and_remainder_recompose(a in any::<i32>(), b in any::<i32>()) {
            prop_assume!(b != 0);
            let params = Params::from([("a".to_owned(), i64::from(a)), ("b".to_owned(), i64::from(b))]);
            let whole = Expression::parse("(a // b) * b + a % b").unwrap().value(&params).unwrap();
            prop_assert_eq!(whole, i64::from(a));
        }
    }
}
