import type { Project } from "./project.js";

export const rust: Project = {
	name: "log",
	title: "Rust: log reader",
	root: "file:///samples/log",
	hint: "Try it: rename `n` to `errors` at the cursor, wait for the suggestion, and press Tab.",
	start: { path: "src/lib.rs", after: "let mut n" },
	files: [
		{
			path: "src/lib.rs",
			text: `mod line;

pub use line::{Level, Line};

pub fn count_errors(lines: &[Line]) -> usize {
    let mut n = 0;
    for line in lines {
        if line.level == Level::Error {
            n += 1;
        }
    }
    if n > 100 {
        eprintln!("many errors: {}", n);
    }
    n
}

pub fn longest(lines: &[Line]) -> Option<&Line> {
    lines.iter().max_by_key(|line| line.text.len())
}
`,
		},
		{
			path: "src/line.rs",
			text: `#[derive(Debug, Clone, PartialEq)]
pub enum Level {
    Info,
    Warning,
    Error,
}

#[derive(Debug, Clone)]
pub struct Line {
    pub level: Level,
    pub text: String,
}

impl Line {
    pub fn parse(source: &str) -> Option<Line> {
        let (level, text) = source.split_once(' ')?;
        let level = match level {
            "INFO" => Level::Info,
            "WARN" => Level::Warning,
            "ERROR" => Level::Error,
            _ => return None,
        };
        Some(Line { level, text: text.to_string() })
    }
}
`,
		},
	],
};
