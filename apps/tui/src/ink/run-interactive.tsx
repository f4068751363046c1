export function runInteractive(_launch: unknown, _start: unknown, _extra?: unknown): Promise<number> {
  return Promise.reject(new Error('being written'))
}
