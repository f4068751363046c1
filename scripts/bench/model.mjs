import { fork } from 'node:child_process'
import { join } from 'node:path'

/** Starts the model server, which ends with this process. */
export async function startModel() {
  const child = fork(join(import.meta.dirname, 'model-server.mjs'))
  const { port } = await answerOf(child)
  const send = (message) => {
    child.send(message)
    return answerOf(child)
  }
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    /** Plays the scenario from now on and drops earlier notes. */
    play: (scenario) => send(scenario),
    /** Resolves to a note for each request since `play`, and the hash of the newest request's body. */
    notes: () => send({}),
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }
}

function answerOf(child) {
  return new Promise((resolve, reject) => {
    const fail = (code) => reject(new Error(`the model server ended with ${code}`))
    child.once('exit', fail)
    child.once('message', (message) => {
      child.off('exit', fail)
      resolve(message)
    })
  })
}
