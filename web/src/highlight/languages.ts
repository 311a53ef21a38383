// What the highlighter knows of each language: how comments and strings look, and which words are its own.

export type Language = {
  /** Patterns in the order in which they are tried; the first that fits at a place wins. */
  rules: readonly [kind: TokenKind, pattern: string][];
  keywords: ReadonlySet<string>;
  /** Words of the language are known in any case, as in SQL. */
  ignoresCase?: boolean;
};

export type TokenKind = "comment" | "string" | "keyword" | "number" | "type" | "function" | "name" | "tag";

const words = (text: string) => new Set(text.split(" "));

const SLASHES: [TokenKind, string] = ["comment", String.raw`//[^\n]*`];
const STARS: [TokenKind, string] = ["comment", String.raw`/\*[\s\S]*?(?:\*/|(?![\s\S]))`];
const HASH: [TokenKind, string] = ["comment", String.raw`#[^\n]*`];
const DOUBLE: [TokenKind, string] = ["string", String.raw`"(?:[^"\\\n]|\\[\s\S])*(?:"|(?=\n)|$)`];
const SINGLE: [TokenKind, string] = ["string", String.raw`'(?:[^'\\\n]|\\[\s\S])*(?:'|(?=\n)|$)`];
const TICKS: [TokenKind, string] = ["string", String.raw`${"`"}(?:[^${"`"}\\]|\\[\s\S])*(?:${"`"}|$)`];
const NUMBER: [TokenKind, string] = ["number", String.raw`\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)\w*`];
const CALL: [TokenKind, string] = ["function", String.raw`\b[A-Za-z_$][\w$]*(?=\s?\()`];
const TYPE: [TokenKind, string] = ["type", String.raw`\b[A-Z][A-Za-z0-9_]*\b`];
const USUAL = [NUMBER, CALL, TYPE] as const;

const language = (keywords: string, rules: readonly [TokenKind, string][]): Language => ({ keywords: words(keywords), rules });

const C_WORDS = "auto bool break case char const continue default do double else enum extern false float for goto if inline int long null nullptr register return short signed sizeof static struct switch true typedef union unsigned void volatile while";
const script = language(
  "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of override private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown var void while with yield",
  [SLASHES, STARS, DOUBLE, SINGLE, TICKS, ...USUAL],
);
const python = language(
  "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
  [HASH, ["string", String.raw`(?:\b[rbfuRBFU]{1,2})?(?:"""[\s\S]*?(?:"""|(?![\s\S]))|'''[\s\S]*?(?:'''|(?![\s\S])))`], ["string", String.raw`\b[rbfuRBFU]{1,2}(?="|')`], DOUBLE, SINGLE, ["name", String.raw`@[\w.]+`], ...USUAL],
);
const rust = language(
  "Self as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self static struct super trait true type unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
  [SLASHES, STARS, ["string", String.raw`\bb?r#*"[\s\S]*?(?:"#*|(?![\s\S]))`], DOUBLE, ["string", String.raw`'(?:[^'\\\n]|\\.[^']*)'`], ["name", String.raw`'[a-z_]\w*|#!?\[[^\]\n]*\]`], ["function", String.raw`\b[a-z_]\w*!`], ...USUAL],
);
const go = language(
  "any bool break byte case chan const continue default defer else error fallthrough false float32 float64 for func go goto if import int int32 int64 interface map nil package range return rune select string struct switch true type uint uint8 uint32 uint64 var",
  [SLASHES, STARS, DOUBLE, SINGLE, TICKS, ...USUAL],
);
const c = language(`${C_WORDS} catch class constexpr delete explicit final friend namespace new noexcept operator override private protected public template this throw try typename using virtual`, [
  SLASHES, STARS, ["name", String.raw`^[ \t]*#\s*\w+[^\n]*`], DOUBLE, SINGLE, ...USUAL,
]);
const java = language(
  `${C_WORDS} abstract as async await base boolean byte catch class companion data defer extension extends final finally fun func guard implements import in init instanceof interface internal is let namespace new object open operator out override package private protected protocol public readonly record ref sealed self string super suspend synchronized this throw throws try using val var virtual when where yield`,
  [SLASHES, STARS, ["string", String.raw`"""[\s\S]*?(?:"""|(?![\s\S]))`], DOUBLE, SINGLE, ["name", String.raw`@[\w.]+`], ...USUAL],
);
const shell = language(
  "alias break case cd continue do done echo elif else esac eval exec exit export fi for function if in local printf read return select set shift source test then trap unset until while",
  [["comment", String.raw`(?<![\w$])#[^\n]*`], ["string", String.raw`"(?:[^"\\]|\\[\s\S])*(?:"|$)`], ["string", String.raw`'[^']*(?:'|$)`], ["name", String.raw`\$(?:\{[^}\n]*\}|\w+|[@#?$!*-])`], ["number", String.raw`\b\d+\b`], ["type", String.raw`(?<=\s)--?[A-Za-z][\w-]*`]],
);
const yaml = language("true false null yes no on off", [
  HASH, ["name", String.raw`[\w.-]+(?=\s*:(?:\s|$))`], ["name", String.raw`"[^"\n]*"(?=\s*:)`], DOUBLE, SINGLE, ["type", String.raw`[&*!][\w-]+`], ["number", String.raw`(?<![\w.-])-?\d+(?:\.\d+)?(?![\w.-])`],
]);
const toml = language("true false", [HASH, ["tag", String.raw`^\s*\[\[?[^\]\n]*\]\]?`], ["name", String.raw`[\w.-]+(?=\s*=)`], ["string", String.raw`"""[\s\S]*?(?:"""|(?![\s\S]))`], DOUBLE, SINGLE, ["number", String.raw`(?<![\w.-])[-+]?\d[\d_.:TZ-]*`]]);
const json = language("true false null", [SLASHES, ["name", String.raw`"(?:[^"\\\n]|\\.)*"(?=\s*:)`], DOUBLE, ["number", String.raw`-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?`]]);
const html = language("", [
  ["comment", String.raw`<!--[\s\S]*?(?:-->|(?![\s\S]))`], ["tag", String.raw`</?[A-Za-z][\w:.-]*|/?>`], ["name", String.raw`[\w:@.-]+(?==)`], ["string", String.raw`(?<==)(?:"[^"]*"|'[^']*')`], ["number", String.raw`&#?\w+;`],
]);
const css = language("important from to and not only", [
  STARS, DOUBLE, SINGLE, ["keyword", String.raw`@[\w-]+`], ["name", String.raw`--?[\w-]+|[a-z-]+(?=\s*:\s)`], ["number", String.raw`#[\da-fA-F]{3,8}\b|\b\d+(?:\.\d+)?(?:%|[a-z]+)?`], ["tag", String.raw`[.#][A-Za-z][\w-]*`], CALL,
]);
const sql: Language = {
  ignoresCase: true,
  ...language(
    "add all alter and as asc begin between by case cast check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction trigger union unique update using values view when where with",
    [["comment", String.raw`--[^\n]*`], STARS, ["string", String.raw`'(?:[^']|'')*(?:'|$)`], ["name", String.raw`"[^"\n]*"`], ["number", String.raw`\b\d+(?:\.\d+)?\b`], CALL],
  ),
};
const ruby = language(
  "alias and begin break case class def do else elsif end ensure false for if in module next nil not or private protected public raise redo require rescue retry return self super then true undef unless until when while yield",
  [HASH, DOUBLE, SINGLE, ["name", String.raw`[@$]{1,2}\w+|(?<![:\w]):\w+`], ...USUAL],
);
const php = language(
  "abstract and array as break case catch class const continue declare default do echo else elseif extends false final finally fn for foreach function global if implements instanceof interface match namespace new null or private protected public readonly require return static switch this throw trait true try use var while yield",
  [SLASHES, HASH, STARS, DOUBLE, SINGLE, ["name", String.raw`\$\w+`], ["tag", String.raw`<\?php|\?>`], ...USUAL],
);
const lua = language("and break do else elseif end false for function goto if in local nil not or repeat return then true until while", [
  ["comment", String.raw`--(?:\[\[[\s\S]*?(?:\]\]|(?![\s\S]))|[^\n]*)`], DOUBLE, SINGLE, ["string", String.raw`\[\[[\s\S]*?(?:\]\]|(?![\s\S]))`], ...USUAL,
]);

const BY_NAME: Record<string, Language> = {
  js: script, jsx: script, ts: script, tsx: script, mjs: script, cjs: script, mts: script, cts: script, javascript: script, typescript: script, vue: html, svelte: html,
  py: python, pyi: python, python: python, rs: rust, rust, go, golang: go,
  c, h: c, cc: c, cpp: c, cxx: c, hpp: c, "c++": c, objc: c, zig: c,
  java, kt: java, kotlin: java, swift: java, scala: java, cs: java, csharp: java, "c#": java, dart: java, groovy: java, gradle: java,
  sh: shell, bash: shell, zsh: shell, fish: shell, shell, console: shell, dockerfile: shell, makefile: shell, make: shell, mk: shell, ps1: shell, powershell: shell, conf: shell, env: shell,
  yaml, yml: yaml, toml, ini: toml, cfg: toml, json, jsonc: json, json5: json, jsonl: json,
  html, htm: html, xml: html, svg: html, css, scss: css, less: css, sql, rb: ruby, ruby, php, lua,
};

/** By the name of a language, or the ending of a file. */
export function languageOf(name: string): Language | null {
  return BY_NAME[name.toLowerCase()] ?? null;
}
