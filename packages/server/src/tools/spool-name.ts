/** The file in a conversation's folder that takes a command's output while it runs. */
export function spoolName(itemId: string): string {
  return `spool-${itemId}`
}
