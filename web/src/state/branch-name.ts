// A branch or an agent named after what is to be done. Pure.

const MOST_WORDS = 5;
const MOST_LETTERS = 40;

/** Empty where nothing in the text makes a name that git takes. */
export function branchName(task: string, most = MOST_WORDS): string {
  const words = task.toLowerCase().normalize("NFKD").match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, most).join("-").slice(0, MOST_LETTERS).replace(/-+$/, "");
}

/** People say the name of an agent often, so it is shorter; with a number if it is taken. */
export function agentName(task: string, isTaken: (name: string) => boolean): string {
  const name = branchName(task, 3);
  if (name === "" || !isTaken(name)) return name;
  let number = 2;
  while (isTaken(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}
