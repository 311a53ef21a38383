// Words that the editor shows as they are. Pure.

/** The same words, none of them a link: the editor knows one by `](`. */
export function plain(text: string): string {
  return text.replaceAll("](", "] (");
}
