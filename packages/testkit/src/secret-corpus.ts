/** Text that contains a secret, and the part of it that must not appear after redaction. */
export interface SecretSample {
  readonly name: string
  readonly text: string
  readonly secret: string
}

const lower = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const upper = lower.toUpperCase()
const alphabets = {
  alnum: upper + lower + digits,
  word: `${upper}${lower}${digits}_-`,
  hex: '0123456789abcdef',
  base32: `${upper}234567`,
  capital: upper + digits,
  base64: `${upper}${lower}${digits}+/`,
  digits,
} as const

type Alphabet = keyof typeof alphabets

/** Returns a generator of pseudo-random letters, equal for equal seeds. */
function randomLetters(seed: string): (alphabet: Alphabet, length: number) => string {
  let state = [...seed].reduce((hash, sign) => Math.imul(hash ^ sign.charCodeAt(0), 16777619) >>> 0, 2166136261)
  return (alphabet, length) => {
    const letters = alphabets[alphabet]
    return Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return letters.charAt((state >>> 10) % letters.length)
    }).join('')
  }
}

type Letters = ReturnType<typeof randomLetters>

/** Secrets with a known prefix, written in two parts so that repository scanners do not report this file. */
const prefixedKeys: Readonly<Record<string, (letters: Letters) => string>> = {
  'aws access key': (l) => `AK${'IA'}${l('base32', 16)}`,
  'aws session key': (l) => `AS${'IA'}${l('base32', 16)}`,
  'github personal': (l) => `gh${'p_'}${l('alnum', 36)}`,
  'github oauth': (l) => `gh${'o_'}${l('alnum', 36)}`,
  'github user': (l) => `gh${'u_'}${l('alnum', 36)}`,
  'github server': (l) => `gh${'s_'}${l('alnum', 36)}`,
  'github refresh': (l) => `gh${'r_'}${l('alnum', 76)}`,
  'github fine-grained': (l) => `github_${'pat_'}${l('alnum', 22)}_${l('alnum', 59)}`,
  'gitlab personal': (l) => `gl${'pat-'}${l('word', 20)}`,
  'gitlab runner': (l) => `gl${'rt-'}${l('word', 20)}`,
  'gitlab deploy': (l) => `gl${'dt-'}${l('word', 20)}`,
  'openai project': (l) => `sk-${'proj-'}${l('word', 120)}`,
  'openai service': (l) => `sk-${'svcacct-'}${l('word', 100)}`,
  'openai old': (l) => `sk${'-'}${l('alnum', 20)}T3Blbk${'FJ'}${l('alnum', 20)}`,
  anthropic: (l) => `sk-${'ant-'}api03-${l('word', 90)}AA`,
  openrouter: (l) => `sk-${'or-v1-'}${l('hex', 64)}`,
  'google key': (l) => `AI${'za'}${l('alnum', 35)}`,
  'google oauth': (l) => `ya${'29.'}${l('word', 120)}`,
  'google client': (l) => `GOC${'SPX-'}${l('word', 28)}`,
  'slack bot': (l) => `xo${'xb-'}${l('digits', 12)}-${l('digits', 12)}-${l('alnum', 24)}`,
  'slack user': (l) => `xo${'xp-'}${l('digits', 12)}-${l('digits', 12)}-${l('hex', 32)}`,
  'slack app': (l) => `xa${'pp-'}1-${l('capital', 11)}-${l('digits', 13)}-${l('hex', 64)}`,
  'stripe live': (l) => `sk_${'live_'}${l('alnum', 24)}`,
  'stripe restricted': (l) => `rk_${'live_'}${l('alnum', 24)}`,
  'stripe webhook': (l) => `wh${'sec_'}${l('alnum', 32)}`,
  npm: (l) => `np${'m_'}${l('alnum', 36)}`,
  pypi: (l) => `py${'pi-'}AgEIcHlwaS5vcmc${l('word', 80)}`,
  rubygems: (l) => `ruby${'gems_'}${l('hex', 48)}`,
  sendgrid: (l) => `S${'G.'}${l('word', 22)}.${l('word', 43)}`,
  twilio: (l) => `S${'K'}${l('hex', 32)}`,
  mailgun: (l) => `ke${'y-'}${l('hex', 32)}`,
  digitalocean: (l) => `dop_${'v1_'}${l('hex', 64)}`,
  huggingface: (l) => `h${'f_'}${l('alnum', 34)}`,
  'nats user': (l) => `S${'UA'}${l('base32', 55)}`,
  'nats operator': (l) => `S${'OA'}${l('base32', 55)}`,
  databricks: (l) => `da${'pi'}${l('hex', 32)}`,
  shopify: (l) => `shp${'at_'}${l('hex', 32)}`,
  square: (l) => `sq0${'csp-'}${l('word', 43)}`,
  linear: (l) => `lin_${'api_'}${l('alnum', 40)}`,
  notion: (l) => `nt${'n_'}${l('alnum', 46)}`,
  figma: (l) => `fi${'gd_'}${l('word', 40)}`,
  postman: (l) => `PM${'AK-'}${l('hex', 24)}-${l('hex', 34)}`,
  'docker hub': (l) => `dckr_${'pat_'}${l('word', 27)}`,
  grafana: (l) => `gl${'sa_'}${l('alnum', 32)}_${l('hex', 8)}`,
  'new relic': (l) => `NR${'AK-'}${l('capital', 27)}`,
  vault: (l) => `hv${'s.'}${l('word', 90)}`,
  groq: (l) => `gs${'k_'}${l('alnum', 52)}`,
  replicate: (l) => `r8${'_'}${l('alnum', 37)}`,
  pulumi: (l) => `pu${'l-'}${l('hex', 40)}`,
  tailscale: (l) => `ts${'key-'}auth-${l('alnum', 12)}-${l('alnum', 32)}`,
  airtable: (l) => `pa${'t'}${l('alnum', 14)}.${l('hex', 64)}`,
  age: (l) => `AGE-SECRET-${'KEY-1'}${l('capital', 58)}`,
  jwt: (l) => `ey${'J'}hbGciOiJIUzI1NiJ9.ey${'J'}zdWIiOiIx${l('word', 40)}.${l('word', 43)}`,
}

/** Secrets known by the text around them, with the letters and length of the secret (0: a webhook path). */
const surroundedSecrets: Readonly<
  Record<string, readonly [before: string, alphabet: Alphabet, length: number, after: string]>
> = {
  'aws secret': ['aws_secret_access_key = ', 'base64', 40, '\nregion = eu-west-1'],
  'authorization bearer': ['curl -H "Authorization: Bearer ', 'word', 40, '" https://api.example.org'],
  'authorization basic': ['Authorization: Basic ', 'alnum', 32, '\nAccept: */*'],
  'api key header': ["-H 'x-api-key: ", 'alnum', 40, "'"],
  'password in a url': ['postgres://app:', 'alnum', 18, '@db.internal:5432/shop'],
  'token in a url': ['git clone https://', 'alnum', 40, '@git.example.org/x.git'],
  netrc: ['machine git.example.org\n  login ann\n  password ', 'alnum', 16, '\n'],
  npmrc: ['//registry.example.org/:_authToken=', 'alnum', 36, '\n'],
  kubeconfig: ['    client-key-data: ', 'base64', 400, '\n    user: admin'],
  'docker login': ['{"auths":{"r.example.org":{"auth":"', 'base64', 48, '"}}}'],
  'azure storage': ['DefaultEndpointsProtocol=https;AccountName=x;AccountKey=', 'base64', 86, '==;Suffix=y'],
  'connection string': ['Server=db;User Id=sa;Password=', 'alnum', 20, ';Encrypt=true'],
  'env file': ['export SHOP_DB_PASSWORD=', 'alnum', 24, '\nPORT=8080'],
  'client secret': ['"client_secret": "', 'word', 40, '"'],
  'slack webhook': ['https://hooks.slack.com/services/', 'alnum', 0, ''],
  wireguard: ['[Interface]\nPrivateKey = ', 'base64', 43, '=\nAddress = 10.0.0.2'],
}

const keyBlockKinds = ['RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ', '']

/** Generates secrets of more than sixty shapes from a seed. */
export function secretCorpus(seed = 'corpus'): readonly SecretSample[] {
  const bare = Object.entries(prefixedKeys).map(([name, make]): SecretSample => {
    const secret = make(randomLetters(`${seed} ${name}`))
    return { name, text: `the key is ${secret}, keep it`, secret }
  })
  const placed = Object.entries(surroundedSecrets).map(([name, [before, alphabet, length, after]]): SecretSample => {
    const letters = randomLetters(`${seed} ${name}`)
    const webhook = `T${letters('capital', 10)}/B${letters('capital', 10)}/${letters('alnum', 24)}`
    const secret = length === 0 ? webhook : `${letters(alphabet, length - 2)}a7`
    return { name, text: before + secret + after, secret }
  })
  return [...bare, ...placed, ...keyBlockKinds.map((kind) => keyBlock(seed, `${kind}PRIVATE KEY`)), pgpBlock(seed)]
}

function keyBlock(seed: string, kind: string): SecretSample {
  const letters = randomLetters(`${seed} ${kind}`)
  const lines = Array.from({ length: 12 }, () => letters('base64', 64))
  const text = [`-----BEGIN ${kind}-----`, ...lines, `${letters('base64', 30)}==`, `-----END ${kind}-----`].join('\n')
  return { name: kind, text: `${text}\n`, secret: lines[4] ?? '' }
}

function pgpBlock(seed: string): SecretSample {
  const { name, text, secret } = keyBlock(seed, 'PGP PRIVATE KEY BLOCK')
  return { name, text: text.replace('-----\n', '-----\nVersion: GnuPG v2\n\n'), secret }
}
