/** What a server program was started with, by itself or as `parley NAME …`. */
export function argumentsAfter(name: string, argv: readonly string[] = process.argv): readonly string[] {
  return argv.slice(argv[2] === name ? 3 : 2)
}
