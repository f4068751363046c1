import type { FarFolder } from './far-machine.ts'

/** A config file with the test's model and one environment, `box`, reached on `port`. */
export function configFor(far: Where, port = far.port, host = '127.0.0.1'): string {
  return `${modelSection}${boxSection(far, port, host)}`
}

/** The test's model. */
export const modelSection = `model_provider = "fake"
model = "m1"
[model_providers.fake]
base_url = "http://127.0.0.1:9/v1"
`

type Where = Pick<FarFolder, 'port' | 'tokenFile' | 'work'>

export function boxSection({ tokenFile, work, port: own }: Where, port = own, host = '127.0.0.1'): string {
  return `[environments.box]
url = "ws://${host}:${port}"
token_file = "${tokenFile}"
cwd = "${work}"
`
}

/** The environment `box` of a machine that connects by itself. */
export function connectedSection({ work }: Pick<FarFolder, 'work'>, machine = 'laptop'): string {
  return `[environments.box]
connected = "${machine}"
cwd = "${work}"
`
}
