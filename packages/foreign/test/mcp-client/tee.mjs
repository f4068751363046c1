// Runs the program given after a file's name, and writes what passes on stdin and stdout to that file. That tools have
// changed is not passed on: server-everything says so while it starts, at no fixed moment.
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [file = '', ...command] = process.argv.slice(2)
const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] })

function pass(from, to, dir) {
  createInterface({ input: from })
    .on('line', (line) => {
      if (line.includes('notifications/tools/list_changed')) return
      appendFileSync(file, `${dir} ${line}\n`)
      to.write(`${line}\n`)
    })
    .on('close', () => to.end())
}

pass(process.stdin, child.stdin, '>')
pass(child.stdout, process.stdout, '<')
child.on('exit', (code) => process.exit(code ?? 1))
process.on('SIGTERM', () => child.kill('SIGTERM'))
