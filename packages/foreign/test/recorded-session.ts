import { type CliRun, expectTranscript, recordTranscript, waitUntil } from '@parley/testkit'

/** Session with a running program, a line at a time, with a record of every line. */
export interface RecordedSession {
  /** Writes a line to the program. */
  say(line: string): void
  /** Forwards the lines of the program, and resolves after the expected one. */
  until(what: string, isIt: (line: string) => boolean): Promise<unknown>
  /** Closes the program's input, and compares all that was said with the transcript in the docs. */
  expectEnd(
    file: string,
    normal: { readonly cwd: string; readonly home: string; readonly keys: readonly string[] },
  ): Promise<void>
}

/** Begins to record; `hear` gets each line of the program and may answer it. */
export function recordSession(run: CliRun, hear: (line: string) => void): RecordedSession {
  const transcript = recordTranscript()
  let read = 0
  return {
    say(line) {
      transcript.line('>', line)
      run.write(`${line}\n`)
    },
    until: (what, isIt) =>
      waitUntil(
        () => {
          const lines = run.stdout().split('\n').slice(read, -1)
          for (const line of lines) {
            read += 1
            transcript.line('<', line)
            hear(line)
            if (isIt(line)) return true
          }
          return false
        },
        { what, timeoutMs: 30_000 },
      ),
    async expectEnd(file, { cwd, home, keys }) {
      run.closeStdin()
      const { exitCode } = await run.result
      transcript.remark('server exit', { code: exitCode })
      expectTranscript(`docs/transcripts/${file}`, transcript.entries, {
        places: { $WORK: cwd, $HOME: home },
        texts: [[/sessions\/\d{4}\/\d\d\/\d\d\//, 'sessions/<day>/']],
        keys,
      })
    },
  }
}
