import type { FarFolder } from './far-machine.ts'

/** A config file with the test's model and one environment, `box`, reached on `port`. */
export function configFor(
  far: Pick<FarFolder, 'port' | 'tokenFile' | 'work'>,
  port = far.port,
  host = '127.0.0.1',
): string {
  return `model_provider = "fake"
model = "m1"
[model_providers.fake]
base_url = "http://127.0.0.1:9/v1"
[environments.box]
url = "ws://${host}:${port}"
token_file = "${far.tokenFile}"
cwd = "${far.work}"
`
}
