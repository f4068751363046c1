/** Doubt that a match leaves. It selects the test of the matched value in `looksSecret`. */
export type Doubt = 'none' | 'password' | 'token' | 'variable'

export interface KeyShape {
  readonly kind: string
  /** Source of the shape: see `readShape`. */
  readonly shape: string
  readonly doubt: Doubt
  /** True when upper and lower case are the same. */
  readonly anyCase?: true
  /** True when it may begin in the middle of a word. */
  readonly anywhere?: true
}

/** Optional quote, escaped where JSON text stands in JSON text. */
const quote = String.raw`["'\\]{0,4}`
const assigned = String.raw`${quote}\s{0,4}[:=]{1,2}>{0,1}\s{0,4}${quote}`
/** Gap between two words, which may stand on different lines of a file, of JSON text or of numbered lines. */
const gap = String.raw`[\s\\nrt0-9|:>+-]{1,64}`
const variableValue = String.raw`["']{0,1}([^\s"'$\`<>(){}[;&|\\,]{12,512})`
const hexDigits = [...'0123456789abcdef']

/** Shapes of keys that are recognisable by themselves, by kind. */
const bare: Readonly<Record<string, readonly string[]>> = {
  aws: ['AKIA[A-Z2-7]{16}!', 'ASIA[A-Z2-7]{16}!', 'ABIA[A-Z2-7]{16}!', 'ACCA[A-Z2-7]{16}!'],
  github: [
    ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => `${prefix}[A-Za-z0-9]{36,255}`),
    'github_pat_[A-Za-z0-9_]{50,255}',
  ],
  gitlab: ['pat', 'dt', 'rt', 'rtr', 'cbt', 'ptt', 'ft', 'imt', 'agent', 'oas', 'soat', 'ffct'].map(
    (name) => `gl${name}-[A-Za-z0-9_-]{20,300}`,
  ),
  openai: ['proj', 'svcacct', 'admin', 'None'].map((name) => `sk-${name}-[A-Za-z0-9_-]{32,300}`),
  anthropic: ['sk-ant-[A-Za-z0-9_-]{32,300}'],
  openrouter: ['sk-or-v1-[a-f0-9]{64}'],
  google: [
    'AIza[A-Za-z0-9_-]{35}!',
    'ya29.[A-Za-z0-9_-]{20,2048}',
    'GOCSPX-[A-Za-z0-9_-]{28}',
    'GOOG1[A-Z0-9]{50,60}!',
  ],
  slack: [
    ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xapp-'].map(
      (prefix) => `${prefix}[A-Za-z0-9%.-]{20,300}`,
    ),
    'hooks.slack.com/services/(T[A-Za-z0-9]{6,14}/B[A-Za-z0-9]{6,14}/[A-Za-z0-9]{18,40})',
  ],
  discord: ['discord.com/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,80})'],
  telegram: ['api.telegram.org/bot([0-9]{8,10}:[A-Za-z0-9_-]{35})'],
  stripe: [
    ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map((prefix) => `${prefix}[A-Za-z0-9]{20,255}`),
    'whsec_[A-Za-z0-9+/]{24,120}',
  ],
  npm: ['npm_[A-Za-z0-9]{36}!'],
  pypi: ['pypi-[A-Za-z0-9_-]{50,512}'],
  rubygems: ['rubygems_[a-f0-9]{48}'],
  sendgrid: ['SG.[A-Za-z0-9_-]{16,32}.[A-Za-z0-9_-]{32,64}'],
  twilio: hexDigits.map((digit) => `SK${digit}[a-f0-9]{31}!`),
  mailgun: ['key-[a-f0-9]{32}!'],
  brevo: ['xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}'],
  digitalocean: ['dop_v1_', 'doo_v1_', 'dor_v1_'].map((prefix) => `${prefix}[a-f0-9]{64}`),
  huggingface: ['hf_[A-Za-z0-9]{30,60}!', 'api_org_[A-Za-z0-9]{34}'],
  databricks: ['dapi[a-f0-9]{32}!'],
  shopify: ['shpat_', 'shpca_', 'shppa_', 'shpss_'].map((prefix) => `${prefix}[a-fA-F0-9]{32}`),
  square: ['sq0csp-[A-Za-z0-9_-]{43}', 'sq0atp-[A-Za-z0-9_-]{22}'],
  linear: ['lin_api_[A-Za-z0-9]{40}', 'lin_oauth_[a-f0-9]{64}'],
  notion: ['ntn_[A-Za-z0-9]{40,60}'],
  figma: ['figd_[A-Za-z0-9_-]{40,60}'],
  sentry: ['sntrys_[A-Za-z0-9+/=_]{60,400}', 'sntryu_[a-f0-9]{64}'],
  postman: ['PMAK-[a-f0-9]{24}-[a-f0-9]{34}'],
  docker: ['dckr_pat_[A-Za-z0-9_-]{27,60}', 'dckr_oat_[A-Za-z0-9_-]{27,60}'],
  grafana: ['glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}', 'glc_[A-Za-z0-9+/]{32,400}'],
  newrelic: ['NRAK-[A-Z0-9]{27}'],
  doppler: ['dp.pt.[A-Za-z0-9]{40,44}', 'dp.st.[A-Za-z0-9._-]{40,80}'],
  vault: ['hvs.[A-Za-z0-9_-]{24,300}', 'hvb.[A-Za-z0-9_-]{100,300}'],
  atlassian: ['ATATT3[A-Za-z0-9_=-]{100,300}', 'ATCTT3[A-Za-z0-9_=-]{100,300}', 'ATBB[A-Za-z0-9]{32}!'],
  dropbox: ['sl.u.[A-Za-z0-9_-]{100,400}', 'sl.B[A-Za-z0-9_-]{100,400}'],
  groq: ['gsk_[A-Za-z0-9]{52}!'],
  xai: ['xai-[A-Za-z0-9]{70,90}!'],
  perplexity: ['pplx-[A-Za-z0-9]{40,64}!'],
  replicate: ['r8_[A-Za-z0-9]{37}!'],
  langsmith: ['lsv2_pt_[a-f0-9]{32}_[a-f0-9]{10}', 'lsv2_sk_[a-f0-9]{32}_[a-f0-9]{10}'],
  supabase: ['sbp_[a-f0-9]{40}!', 'sb_secret_[A-Za-z0-9_-]{20,60}'],
  netlify: ['nfp_[A-Za-z0-9]{36,60}!'],
  heroku: ['HRKU-[A-Za-z0-9_-]{36,80}'],
  fly: ['fm2_[A-Za-z0-9+/=_-]{100,2048}'],
  tailscale: ['auth', 'api', 'client', 'scim', 'webhook'].map((use) => `tskey-${use}-[A-Za-z0-9-]{20,100}`),
  pulumi: ['pul-[a-f0-9]{40}!'],
  planetscale: ['pscale_tkn_[A-Za-z0-9_.-]{32,64}', 'pscale_pw_[A-Za-z0-9_.-]{32,64}'],
  contentful: ['CFPAT-[A-Za-z0-9_-]{43}'],
  yandex: ['AQVN[A-Za-z0-9_-]{35,38}!'],
  onepassword: ['ops_eyJ[A-Za-z0-9+/_-]{200,4096}'],
  airtable: ['pat[A-Za-z0-9]{14}.[a-f0-9]{64}!'],
  adafruit: ['aio_[A-Za-z0-9]{28}!'],
  age: ['AGE-SECRET-KEY-1[A-Z0-9]{58}', 'AGE-PLUGIN-[A-Z0-9]{2,30}-1[A-Z0-9]{50,400}'],
  // Seeds of users, accounts, operators and curves; the third letter is always an A.
  nats: ['SUA', 'SAA', 'SOA', 'SXA'].map((prefix) => `${prefix}[A-Z2-7]{55}!`),
  wireguard: [String.raw`PrivateKey\s{1,4}=\s{1,4}([A-Za-z0-9+/]{43}=)`],
  jwt: ['eyJ[A-Za-z0-9_-]{8,256}.eyJ[A-Za-z0-9_-]{8,8192}.[A-Za-z0-9_-]{16,2048}'],
  azure: [
    'AccountKey=([A-Za-z0-9+/]{60,100}[=]{0,2})',
    'SharedAccessKey=([A-Za-z0-9+/]{40,100}[=]{0,2})',
    '?sig=([A-Za-z0-9%/+]{40,120}[=]{0,1})',
    '&sig=([A-Za-z0-9%/+]{40,120}[=]{0,1})',
  ],
  kubernetes: [String.raw`client-key-data:\s{0,4}([A-Za-z0-9+/=]{40,16384})`],
  registry: [String.raw`auth\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"([A-Za-z0-9+/]{16,1024}[=]{0,2})`],
}

/** Shapes that are recognisable by the words before them. */
const inContext: readonly KeyShape[] = [
  { kind: 'openai', shape: 'sk-[A-Za-z0-9]{32,128}!', doubt: 'token' },
  ...['secret_access_key', 'secretaccesskey'].map((name) => labelled('aws', `${name}${assigned}([A-Za-z0-9/+=]{40})!`)),
  ...['session_token', 'sessiontoken'].map((name) => labelled('aws', `${name}${assigned}([A-Za-z0-9/+=]{100,2048})`)),
  labelled('bearer', String.raw`bearer\s{1,4}([A-Za-z0-9_.~+/=-]{16,4096})`),
  labelled('basic', String.raw`authorization${assigned}basic\s{1,4}([A-Za-z0-9+/]{8,1024}[=]{0,2})`, 'none'),
  ...[
    'api-key',
    'api_key',
    'apikey',
    'client_secret',
    'private_token',
    'access_token',
    'refresh_token',
    'auth_token',
  ].map((name) => labelled('key', `${name}${assigned}([A-Za-z0-9_.~+/=-]{20,4096})`)),
  {
    kind: 'netrc',
    shape: String.raw`machine\s{1,8}[^\s"\\]{1,255}${gap}login\s{1,8}[^\s"\\]{1,255}${gap}password\s{1,8}([^\s"'\\[]{3,255})`,
    doubt: 'password',
  },
  ...['_authToken=', '_auth=', '_password='].map(
    (name): KeyShape => ({ kind: 'npm', shape: String.raw`${name}([^\s"'$\\[]{8,512})`, doubt: 'password' }),
  ),
  {
    kind: 'url',
    shape: String.raw`://[^\s/:@"'<>\\\`{}$|,()[]{0,128}:([^\s/@"'<>\\\`|,()[]{3,256})@[A-Za-z0-9]`,
    doubt: 'password',
    anywhere: true,
  },
  { kind: 'url', shape: '://([A-Za-z0-9_-]{20,255})@[A-Za-z0-9]', doubt: 'token', anywhere: true },
  ...['password=', 'pwd='].map((name) => labelled('password', String.raw`${name}([^\s"'$\`<>(){}[;&|\\,]{8,256})`)),
  ...['PASSWORD', 'PASSWD', 'SECRET', 'TOKEN', '_KEY'].map(
    (name): KeyShape => ({
      kind: 'variable',
      shape: `${name}[A-Z0-9_]{0,32}=${variableValue}`,
      doubt: 'variable',
      anywhere: true,
    }),
  ),
]

function labelled(kind: string, shape: string, doubt: Doubt = 'token'): KeyShape {
  return { kind, shape, doubt, anyCase: true }
}

/** Shapes of all known keys. Precise rather than complete: a mark where there was no key costs more than it saves. */
export const keyShapes: readonly KeyShape[] = [
  ...Object.entries(bare).flatMap(([kind, shapes]) =>
    shapes.map((shape): KeyShape => ({ kind, shape, doubt: 'none' })),
  ),
  ...inContext,
]
