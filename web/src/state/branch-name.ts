// A branch named after what is to be done in it. Pure.

const MOST_WORDS = 5;
const MOST_LETTERS = 40;

/** Empty where nothing in the text makes a name that git takes. */
export function branchName(task: string): string {
  const words = task.toLowerCase().normalize("NFKD").match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, MOST_WORDS).join("-").slice(0, MOST_LETTERS).replace(/-+$/, "");
}
