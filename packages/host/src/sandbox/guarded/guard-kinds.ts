/** The reasons for which a place stays as it is: each names who runs or reads it later. */
export const guardKinds = [
  'repository',
  'gitHooks',
  'gitSettings',
  'parley',
  'editor',
  'gitCommands',
  'shellFolder',
  'startsPrograms',
  'atStart',
  'unknown',
] as const

export type GuardKind = (typeof guardKinds)[number]

const texts: Readonly<Record<GuardKind, string>> = {
  repository: 'changes the repository itself, whose settings and hooks can run programs',
  gitHooks: 'lies where git looks for hooks, which it runs',
  gitSettings: 'is read by git as settings, which can run programs',
  parley: 'changes parley settings',
  editor: 'runs when an editor opens this folder',
  gitCommands: 'runs with git commands',
  shellFolder: 'runs when a shell enters this folder',
  startsPrograms: 'starts programs',
  atStart: 'is read when programs start',
  unknown: 'lies where it cannot be told what runs later',
}

/** Gives the reason as the rest of a sentence that begins with the name of a file. */
export function guardText(kind: GuardKind): string {
  return texts[kind]
}
