/** Places where one program, or several of a kind, keep secrets. */
interface SecretPlaces {
  readonly of: string
  /** Manual that names the places, to check this list. */
  readonly source: string
  /** Files and folders, relative to the home; `*` in the last part stands for any letters. */
  readonly paths: readonly string[]
}

/**
 * Program | its manual that names the places | places below a home. Files with credentials and profiles as a whole, but
 * no caches and no packages, which builds read. A further place needs only its line here.
 */
const table = `
# Keys and password stores.
OpenSSH | ssh(1), FILES | .ssh
GnuPG | gpg(1), FILES | .gnupg
age and sops | SOPS: Encrypting using age | .age, .config/age, .config/sops
rage and passage | passage(1) | .passage, .config/rage
minisign and signify | minisign(1) | .minisign, .signify
pass and gopass | pass(1), FILES; gopass: Config | .password-store, .config/gopass, .local/share/gopass
GNOME Keyring | gnome-keyring(1) | .local/share/keyrings, .gnome2/keyrings
KDE Wallet | KWallet Handbook | .local/share/kwalletd, .kde/share/apps/kwallet
NSS databases | certutil(1) | .pki, .local/share/pki
KeePass | KeePassXC: User Guide | .config/keepassxc, .config/KeePass, .keepassx, *.kdbx, Documents/*.kdbx
1Password | 1Password CLI: Configuration directories | .config/op, .op, .config/1Password, .1password
Bitwarden | Bitwarden: Password Manager CLI, Data | .config/Bitwarden CLI, .config/Bitwarden, .config/rbw, .local/share/rbw
LastPass and Proton Pass | lpass(1) | .lastpass, .lpass, .local/share/lpass, .config/Proton Pass, .config/protonmail
Authenticators | oathtool(1) | .config/Authy Desktop, .config/ykman, .config/Yubico, .google_authenticator
macOS | security(1) | Library/Keychains, Library/Cookies, Library/Messages, Library/Mail

# Browsers and mail, whose profiles hold passwords and sessions.
Firefox and kin | Mozilla Support: Profiles | .mozilla, .config/mozilla, .librewolf, .waterfox, .zen, .tor-browser, .local/share/torbrowser, .var/app/org.mozilla.firefox, snap/firefox, Library/Application Support/Firefox
Chrome and Chromium | Chromium: User Data Directory | .config/google-chrome, .config/google-chrome-beta, .config/google-chrome-unstable, .config/chromium, snap/chromium, .var/app/com.google.Chrome, .var/app/org.chromium.Chromium, Library/Application Support/Google/Chrome, Library/Application Support/Chromium
Brave | Brave Help: Profile folder | .config/BraveSoftware, .var/app/com.brave.Browser, snap/brave, Library/Application Support/BraveSoftware
Edge, Vivaldi and Opera | Chromium: User Data Directory | .config/microsoft-edge, .config/microsoft-edge-beta, .config/microsoft-edge-dev, .config/vivaldi, .config/opera, Library/Application Support/Microsoft Edge, Library/Application Support/Vivaldi, Library/Application Support/Arc
Other browsers | qutebrowser(1), FILES | .local/share/qutebrowser, .config/falkon, .local/share/epiphany, Library/Safari
Thunderbird and other mail | Mozilla Support: Thunderbird profiles; mutt(1); msmtp(1); fetchmail(1); mbsync(1) | .thunderbird, .icedove, .var/app/org.mozilla.Thunderbird, snap/thunderbird, .local/share/evolution, .config/evolution, .claws-mail, .mutt, .muttrc, .config/mutt, .config/neomutt, .msmtprc, .config/msmtp, .mbsyncrc, .config/isyncrc, .fetchmailrc, .getmail, .offlineimaprc, .config/aerc, .config/himalaya, .mailrc, .esmtprc
Chat | irssi(1); WeeChat: User guide; Signal: Data folder | .irssi, .weechat, .config/weechat, .config/hexchat, .purple, .config/Signal, .local/share/TelegramDesktop, .config/Element, .config/discord, .config/Slack, .local/share/gajim, .config/profanity, .local/share/profanity, .znc

# Clouds and hosting.
AWS | AWS CLI: Configuration and credential files | .aws, .saml2aws, .config/aws-vault, .awsvault, .boto, .elasticbeanstalk, .chalice
Google Cloud | gcloud topic configurations; gsutil | .config/gcloud, .gsutil, .gcp, .clasprc.json
Azure | Azure CLI: Configuration | .azure, .Azure, .azure-devops, .IdentityService, .local/share/.IdentityService
Kubernetes | kubectl: Organizing cluster access; Helm: registry login | .kube, .config/helm/registry/config.json, .config/helm/repositories.yaml, .config/k9s, .config/argocd, .argocd, .rancher, .talos, .minikube/profiles, .minikube/certs
Docker and Podman | docker login; containers-auth.json(5) | .docker, .dockercfg, .config/containers/auth.json
Terraform, OpenTofu and Pulumi | Terraform: CLI configuration, credentials; Pulumi: State and backends | .terraform.d, .terraformrc, .tofurc, .config/opentofu, .pulumi/credentials.json
HashiCorp Vault and Boundary | vault login | .vault-token, .vault, .consul-token, .nomad-token
Heroku and Netlify | Heroku CLI authentication; Netlify CLI: Get started | .config/heroku, .local/share/heroku, .netlify, .config/netlify
Vercel, Fly.io and Railway | Vercel CLI: Global configuration; flyctl auth | .vercel, .config/vercel, .local/share/com.vercel.cli, .now, .fly, .railway
DigitalOcean, Hetzner, Linode, Scaleway, OVH, Vultr | doctl auth; hcloud context; linode-cli configure; scw init | .config/doctl, .config/hcloud, .config/linode-cli, .linode-cli, .config/scw, .ovh.conf, .vultr-cli.yaml
Oracle, IBM, Alibaba and Tencent clouds | OCI CLI: Configuration file; ibmcloud config | .oci, .bluemix, .aliyun, .tccli
OpenStack and Cloud Foundry | openstack(1): clouds.yaml; cf login | .config/openstack, .cf
Cloudflare, Supabase, Firebase and Expo | wrangler login; supabase login; firebase login | .cloudflared, .wrangler, .config/.wrangler, .supabase, .config/configstore, .expo
Databricks and Snowflake | Databricks CLI: Profiles; SnowSQL: Configuring | .databrickscfg, .databricks, .snowflake, .snowsql, .config/snowflake
NATS | nats context; nsc: Environment variables | .config/nats, .local/share/nats, .nsc, .nkeys
VPN and networks | NetworkManager(8); wg-quick(8); tailscale(8) | .local/share/networkmanagement, .config/openvpn3, .openvpn3, .config/wireguard, .config/ngrok, .ngrok2, .zerotier-one

# Repositories and packages: credentials and settings, not caches.
Git | gitcredentials(7) | .git-credentials, .config/git/credentials, .gitcookies, .git-credential-cache, .cache/git/credential, .local/share/gcm, .gcm
GitHub, GitLab, Gitea and others | gh auth login; glab auth login; hub(1); tea login | .config/gh, .config/glab-cli, .config/hub, .config/tea, .config/berg, .config/lab, .arcrc, .subversion/auth
netrc | ftp(1): The .netrc file | .netrc, _netrc, .authinfo, .authinfo.gpg
npm, Yarn, pnpm and Bun | npmrc(5); Yarn: npmAuthToken | .npmrc, .config/npm/npmrc, .yarnrc, .yarnrc.yml, .config/pnpm/rc, .config/pnpm/auth.ini, .bunfig.toml
Python packages | PyPI: .pypirc; pip config; Poetry: Credentials | .pypirc, .pip/pip.conf, .config/pip/pip.conf, .config/pypoetry/auth.toml, .local/share/uv/credentials, .local/share/hatch/pypi, .config/twine, .continuum, .conda/token
Cargo | The Cargo Book: cargo login | .cargo/credentials, .cargo/credentials.toml
Maven | Maven: Settings reference; Password encryption | .m2/settings.xml, .m2/settings-security.xml, .m2/settings-security4.xml, .m2/settings*.xml
Gradle, sbt, Leiningen and Ivy | Gradle: Build environment; sbt: Credentials | .gradle/gradle.properties, .sbt/.credentials, .sbt/credentials, .sbt/1.0/credentials.sbt, .ivy2/.credentials, .lein/credentials.clj.gpg
RubyGems and Bundler | gem signin; bundle config | .gem/credentials, .local/share/gem/credentials, .bundle/config
Composer | Composer: Authentication for privately hosted packages | .composer/auth.json, .config/composer/auth.json
NuGet | NuGet.Config reference | .nuget/NuGet/NuGet.Config, .config/NuGet/NuGet.Config
Hex, CocoaPods, Conan and CPAN | mix hex.user; pod trunk; conan remote login | .hex/hex.config, .config/hex/hex.config, .cocoapods/trunk, .conan/.conan.db, .conan2/credentials.json, .pause
Machine learning hubs | Hugging Face: Environment variables; Kaggle API | .huggingface, .cache/huggingface/token, .cache/huggingface/stored_tokens, .kaggle, .config/kaggle, .comet.config, .replicate, .config/modal, .modal.toml, .lightning/credentials.json
Build signing | Android: Sign your app | .android/adbkey, .fastlane, .appstoreconnect, .private_keys
Ansible, Puppet and Chef | ansible-vault(1); knife configure | .ansible/galaxy_token, .ansible_galaxy, .vault_pass, .vault_pass.txt, .chef, .puppetlabs/etc/puppet/ssl
CI and monitoring | circleci setup; travis login; sentry-cli login | .circleci/cli.yml, .sentryclirc, .config/buildkite, .bk.yaml, .datadogrc, .dogrc, .newrelic, .config/stripe, .config/twilio-cli, .twilio-cli, .slack/credentials.json, .config/shopify, .jira.d, .config/.jira, .config/jira

# Storage and databases.
rclone, S3 tools and backups | rclone config; s3cmd(1); MinIO: mc alias | .config/rclone, .rclone.conf, .s3cfg, .s3b, .mc, .config/mc, .passwd-s3fs, .b2_account_info, .config/b2, .config/borg, .config/restic, .config/duplicacy, .config/syncthing, .local/state/syncthing, .dropbox, .config/Nextcloud, .config/davfs2, .davfs2
PostgreSQL | libpq: The password file | .pgpass, .pg_service.conf, .config/pgcli, .pgadmin
MySQL and MariaDB | MySQL: Option files | .my.cnf, .mylogin.cnf, .mariadb, .config/mycli
Other databases | mongosh: Configure; redis-cli; DBeaver: Workspace | .mongodb, .mongorc.js, .mongoshrc.js, .redisclirc, .rediscli_auth, .odbc.ini, .clickhouse-client, .config/influxdb, .influxdbv2, .local/share/DBeaverData, .dbvis, .cassandra, .neo4j
dbt | dbt: profiles.yml | .dbt/profiles.yml
Mounted shares | mount.cifs(8) | .smbcredentials, .smb, .cifs

# Histories: keys get typed and pasted.
Shells | bash(1): HISTFILE; zshparam(1); fish: history | .bash_history, .zsh_history, .zhistory, .histfile, .sh_history, .ksh_history, .mksh_history, .tcsh_history, .history, .local/share/fish/fish_history, .config/fish/fish_history, .local/share/powershell, .config/nushell/history.txt, .config/nushell/history.sqlite3, .local/share/atuin, .config/elvish/db, .bash_sessions, .zsh_sessions, .*_history
Interpreters and clients | Python: readline; Node.js: REPL; psql(1); mysql(1) | .python_history, .ipython/profile_default/history.sqlite, .node_repl_history, .psql_history, .mysql_history, .mariadb_history, .sqlite_history, .rediscli_history, .mongo_history, .irb_history, .pry_history, .local/share/pry/pry_history, .php_history, .scala_history, .Rhistory, .julia/logs/repl_history.jl, .lesshst, .viminfo, .local/state/nvim/shada, .local/share/nvim/shada, .dbshell, .octave_hist, .erlang-hist

# Other agents: credentials and what was said to them.
Codex | Codex: Authentication | .codex
Claude Code | Claude Code: Credential management | .claude.json, .claude/.credentials.json, .claude/history.jsonl, .claude/projects, .config/claude, .config/Claude
Gemini and Qwen | Gemini CLI: Authentication | .gemini, .qwen
OpenCode, Crush and Goose | opencode auth login | .local/share/opencode, .local/share/crush, .config/crush, .config/goose, .local/share/goose
GitHub Copilot | Copilot CLI: Configuration directory | .config/github-copilot, .copilot
mcp-remote and OpenClaw | mcp-remote: MCP_REMOTE_CONFIG_DIR; OpenClaw: Credentials | .mcp-auth, .openclaw
Cursor and Windsurf | Cursor CLI: Authentication | .cursor, .config/cursor, .config/Cursor, .codeium, .config/Windsurf, .windsurf
aider, Continue, Cline, Amp and others | aider: API keys; Continue: config | .aider.conf.yml, .aider, .continue, .config/amp, .local/share/amp, .cline, .roo, .augment, .factory, .kiro, .config/io.datasette.llm, .openai, .config/openai, .anthropic, .config/anthropic, .openrouter, .ollama/id_ed25519, .amazonq, .config/amazon-q, .local/share/amazon-q, .local/share/kiro-cli, .config/mods, .config/fabric, .config/shell_gpt, .config/aichat
Editors | Visual Studio Code: Secret storage; JetBrains: Passwords | .config/Code/User/globalStorage, .config/Code/Cookies, .config/Code - Insiders/User/globalStorage, .config/VSCodium/User/globalStorage, .vscode-server/data/User/globalStorage, .local/share/zed/db, .config/sublime-text/Local, .wakatime.cfg, .local/share/jupyter/runtime, .jupyter/jupyter_server_config.json

# Wallets, desktops and remote access.
Wallets | Bitcoin Core: Files | .bitcoin, .ethereum, .electrum, .config/solana, .foundry/keystores, .monero, .zcash, .config/Exodus, .config/Ledger Live, .brownie/accounts, .aptos, .sui
Desktops and remote access | Xauthority: xauth(1); vncpasswd(1); Remmina | .Xauthority, .ICEauthority, .vnc, .config/tigervnc, .local/share/remmina, .config/remmina, .config/freerdp, .putty, .config/filezilla, .config/FileZilla, .config/anydesk, .anydesk, .config/rustdesk, .teamviewer
Environments | direnv(1) | .env, .env.local, .secrets, .config/chezmoi, .config/systemd/creds, .credentials, .config/credentials
`

/** Places of secrets below a home folder. */
export const secretPlaces: readonly SecretPlaces[] = table
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [of = '', source = '', paths = ''] = line.split(' | ')
    return { of, source, paths: paths.split(', ') }
  })

/** Variable that makes a program keep secrets elsewhere than in the home. */
interface SecretVariable {
  readonly name: string
  /** Manual that names the variable. */
  readonly source: string
  /** Path below the home that the variable's value replaces. */
  readonly insteadOf: string
  /** Path below the value; empty for the value itself. */
  readonly below: string
  /** True for a value of several paths with colons between. */
  readonly isList: boolean
}

/**
 * Variable | manual | path below a home that its value stands for. `NAME/rest` is `rest` below the value, `NAME:`
 * several paths. Places above move with it.
 */
const variableTable = `
# Folders with the places of many programs.
XDG_CONFIG_HOME | XDG Base Directory Specification | .config
XDG_DATA_HOME | XDG Base Directory Specification | .local/share
XDG_STATE_HOME | XDG Base Directory Specification | .local/state
XDG_CACHE_HOME | XDG Base Directory Specification | .cache
XDG_RUNTIME_DIR/containers/auth.json | containers-auth.json(5) | .config/containers/auth.json

# Keys and password stores.
GNUPGHOME | gpg(1), ENVIRONMENT | .gnupg
PASSWORD_STORE_DIR | pass(1), ENVIRONMENT VARIABLES | .password-store
PASSAGE_DIR | passage(1) | .passage
PASSAGE_IDENTITIES_FILE | passage(1) | .passage/identities
SOPS_AGE_KEY_FILE | SOPS: Encrypting using age | .config/sops/age/keys.txt
LPASS_HOME | lpass(1) | .lpass
BITWARDENCLI_APPDATA_DIR | Bitwarden: Password Manager CLI, Data | .config/Bitwarden CLI

# Clouds and hosting.
AWS_SHARED_CREDENTIALS_FILE | AWS CLI: Environment variables | .aws/credentials
AWS_CONFIG_FILE | AWS CLI: Environment variables | .aws/config
AWS_WEB_IDENTITY_TOKEN_FILE | AWS CLI: Environment variables | .aws/token
AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE | AWS SDKs: Container credential provider | .aws/token
BOTO_CONFIG | gsutil config | .boto
CLOUDSDK_CONFIG | gcloud topic configurations | .config/gcloud
GOOGLE_APPLICATION_CREDENTIALS | Google Cloud: Application Default Credentials | .config/gcloud/application_default_credentials.json
AZURE_CONFIG_DIR | Azure CLI: Configuration | .azure
AZURE_FEDERATED_TOKEN_FILE | Azure Identity: WorkloadIdentityCredential | .azure/token
OCI_CLI_CONFIG_FILE | OCI CLI: Environment variables | .oci/config
IBMCLOUD_HOME/.bluemix | ibmcloud config | .bluemix
CF_HOME/.cf | cf help | .cf
OS_CLIENT_CONFIG_FILE | openstacksdk: Configuration | .config/openstack/clouds.yaml
KUBECONFIG: | kubectl: Organizing cluster access | .kube/config
MINIKUBE_HOME | minikube config | .minikube
MINIKUBE_HOME/.minikube | minikube config | .minikube
TALOSCONFIG | talosctl config | .talos/config
ARGOCD_CONFIG_DIR | argocd login | .config/argocd
DOCKER_CONFIG | docker(1), Environment variables | .docker
REGISTRY_AUTH_FILE | podman login | .config/containers/auth.json
HELM_REGISTRY_CONFIG | helm(1), Environment variables | .config/helm/registry/config.json
HELM_REPOSITORY_CONFIG | helm(1), Environment variables | .config/helm/repositories.yaml
HELM_CONFIG_HOME/registry/config.json | helm(1), Environment variables | .config/helm/registry/config.json
HELM_CONFIG_HOME/repositories.yaml | helm(1), Environment variables | .config/helm/repositories.yaml
TF_CLI_CONFIG_FILE | Terraform: Environment variables | .terraformrc
PULUMI_HOME | Pulumi: Environment variables | .pulumi
SCW_CONFIG_PATH | scw: Environment variables | .config/scw/config.yaml
HCLOUD_CONFIG | hcloud: Environment variables | .config/hcloud/cli.toml
DATABRICKS_CONFIG_FILE | Databricks CLI: Environment variables | .databrickscfg
SNOWFLAKE_HOME | Snowflake CLI: Configuring | .snowflake
NATS_CREDS | nats(1), environment | .config/nats/creds
NATS_NKEY | nats(1), environment | .config/nats/nkey
NKEYS_PATH | nsc: Environment variables | .local/share/nats/nsc/keys
NSC_HOME | nsc: Environment variables | .nsc

# Repositories and packages.
GH_CONFIG_DIR | gh help environment | .config/gh
GLAB_CONFIG_DIR | glab: Environment variables | .config/glab-cli
HUB_CONFIG | hub(1) | .config/hub
NETRC | cmd/go: GOAUTH; ftp(1) | .netrc
CARGO_HOME | The Cargo Book: Environment variables | .cargo
NPM_CONFIG_USERCONFIG | npm: Config, userconfig | .npmrc
npm_config_userconfig | npm: Config, userconfig | .npmrc
PIP_CONFIG_FILE | pip: Configuration | .config/pip/pip.conf
POETRY_CONFIG_DIR | Poetry: Configuration | .config/pypoetry
UV_CREDENTIALS_DIR | uv: Environment variables | .local/share/uv/credentials
GRADLE_USER_HOME | Gradle: Build environment | .gradle
BUNDLE_USER_HOME | bundle config | .bundle
BUNDLE_USER_CONFIG | bundle config | .bundle/config
COMPOSER_HOME | Composer: Environment variables | .composer
HEX_HOME | mix hex.config | .hex
CP_HOME_DIR | CocoaPods: Environment | .cocoapods
CONAN_HOME | Conan: Environment variables | .conan2
CONAN_USER_HOME/.conan | Conan 1: Environment variables | .conan
HF_HOME | Hugging Face: Environment variables | .cache/huggingface
HF_TOKEN_PATH | Hugging Face: Environment variables | .cache/huggingface/token
KAGGLE_CONFIG_DIR | Kaggle API | .kaggle
ANSIBLE_VAULT_PASSWORD_FILE | Ansible: Configuration settings | .vault_pass
ANSIBLE_GALAXY_TOKEN_PATH | Ansible: Configuration settings | .ansible/galaxy_token
RCLONE_CONFIG | rclone: Environment variables | .config/rclone/rclone.conf
RESTIC_PASSWORD_FILE | restic: Environment variables | .config/restic/password
BORG_KEYS_DIR | borg(1): Environment variables | .config/borg/keys
BORG_CONFIG_DIR | borg(1): Environment variables | .config/borg
MC_CONFIG_DIR | MinIO: mc | .mc

# Databases.
PGPASSFILE | libpq: Environment variables | .pgpass
PGSERVICEFILE | libpq: Environment variables | .pg_service.conf
MYSQL_TEST_LOGIN_FILE | MySQL: Environment variables | .mylogin.cnf
DBT_PROFILES_DIR | dbt: profiles.yml | .dbt
INFLUX_CONFIGS_PATH | influx config | .influxdbv2/configs

# Histories.
HISTFILE | bash(1): HISTFILE | .bash_history
ZDOTDIR/.zsh_history | zsh(1), FILES | .zsh_history
ZDOTDIR/.zhistory | zsh(1), FILES | .zhistory
PYTHON_HISTORY | Python: Environment variables | .python_history
IPYTHONDIR | IPython: The IPython directory | .ipython
NODE_REPL_HISTORY | Node.js: REPL | .node_repl_history
PSQL_HISTORY | psql(1) | .psql_history
MYSQL_HISTFILE | mysql(1) | .mysql_history
SQLITE_HISTORY | sqlite3(1) | .sqlite_history
REDISCLI_HISTFILE | redis-cli | .rediscli_history
REDISCLI_RCFILE | redis-cli | .redisclirc
LESSHISTFILE | less(1) | .lesshst

# Other programs.
XAUTHORITY | Xauthority: xauth(1) | .Xauthority
ICEAUTHORITY | iceauth(1) | .ICEauthority
MAILRC | mail(1) | .mailrc
CODEX_HOME | Codex: Environment variables | .codex
CLAUDE_CONFIG_DIR | Claude Code: Settings | .claude
CLAUDE_CONFIG_DIR/.claude.json | Claude Code: Settings | .claude.json
COPILOT_HOME | Copilot CLI: Configuration directory | .copilot
MCP_REMOTE_CONFIG_DIR | mcp-remote | .mcp-auth
`

/** Variables that move places of secrets. */
export const secretVariables: readonly SecretVariable[] = variableTable
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [written = '', source = '', insteadOf = ''] = line.split(' | ')
    const [name = '', ...below] = written.replace(/:$/, '').split('/')
    return { name, source, insteadOf, below: below.join('/'), isList: written.endsWith(':') }
  })

/** Places of secrets of the machine itself. */
export const systemSecretPlaces: readonly string[] = `
/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssh /etc/ssl/private
/etc/pki/tls/private /etc/letsencrypt /etc/krb5.keytab /etc/NetworkManager/system-connections /etc/wpa_supplicant
/etc/netplan /etc/wireguard /etc/openvpn /etc/ipsec.secrets /etc/ppp/chap-secrets /etc/ppp/pap-secrets
/etc/mysql/debian.cnf /etc/postfix/sasl_passwd /etc/docker/key.json /etc/rancher /etc/kubernetes /etc/vault.d
/var/lib/iwd /var/lib/bluetooth /var/lib/NetworkManager /var/lib/kubelet /var/lib/tailscale /run/credentials
/run/secrets /run/user /var/run/secrets
`
  .trim()
  .split(/\s+/)
