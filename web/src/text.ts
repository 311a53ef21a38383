// The words of the page, in the language its user chose. No other file holds any.

import { signal } from "@preact/signals";
import { prefs, type Language } from "./state/prefs";
import en from "./text/en.json";

export type TextKey = keyof typeof en;
type Book = Partial<Record<string, string>>;

/** English is always there, since it also stands in for what another language lacks. */
const books = signal<{ en: Book; ja?: Book }>({ en });

/** Gets the words of a language, once. */
export async function learn(language: Language): Promise<void> {
  if (books.value[language]) return;
  const { default: ja } = await import("./text/ja.json");
  books.value = { ...books.value, ja };
}

/** The text of a key, with `{name}` filled in. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  const text = books.value[prefs.value.language]?.[key] ?? en[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

type OneOf<Key> = Key extends `${infer Many}.one` ? Many : never;
/** Those that are worded otherwise for a single one. */
export type PluralKey = OneOf<TextKey>;

/** One or many: `key.one` where there is a single one. */
export function tn(key: PluralKey, n: number, values: Record<string, string | number> = {}): string {
  return t(n === 1 ? `${key}.one` : key, { n, ...values });
}

/** What a refusal says: the page's own text for its code, else what the hub said. */
export function refusal(code: string, said: string): string {
  const key = `error.${code}`;
  return key in en ? t(key as TextKey) : said;
}
