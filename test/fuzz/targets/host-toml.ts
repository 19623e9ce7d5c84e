import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayErrors, readHostConfig } from '@fairlead/gateway';
import { readExtensionTables } from '@fairlead/hub';
import { hold, type Target } from '../engine/target.ts';
import { scratchFolder } from '../scratch-folder.ts';

const SECRET = 'Planted-5ecret';

export const target: Target = {
  name: 'host-toml',
  holds:
    'a text is a configuration within its bounds, or has a code; no value of the file is repeated in a refusal',
  covers: [
    'packages/gateway/src/config',
    'packages/hub/src/configuration',
    'packages/base/src/toml-lines.ts',
    'packages/base/src/read-text-file.ts',
  ],
  form: 'text',
  maxBytes: 8_192,
  words: [
    '[gateway]\n',
    '[agent]\n',
    'api_key_env = ',
    'token_env = ',
    '"127.0.0.1"',
    '"::1"',
    '"0.0.0.0"',
    `"${SECRET}"`,
    '"https://a.example"',
    '[[x]]\n',
    '"""',
    "'''",
  ],
  seeds: () => [
    '[gateway]\nbind = "127.0.0.1"\nport = 7421\npublic_url = "https://a.example"\ntrusted_proxies = ["10.0.0.0/8", "::1"]\nallow_remote = true\n',
    '[agent]\nauthority = "restricted"\n[limits]\nbody_bytes = 1048576\nrequest_secs = 180\nconnections = 64\n',
    `[models.x]\napi_key_env = "KEY"\nsecret = "${SECRET}"\n[[servers]]\nenv = { A_env = "B" }\n`,
    `[gateway]\nport = "${SECRET}"\nprot = 1\n`,
    `[[extensions.path]]\npath = "./a"\n[extensions.a]\nenv = { K = "${SECRET}" }\nsettings = { b = [1, "\${V}"] }\n[policy]\nagent_state = { a = ["x"] }\n`,
  ],
  open: async () => {
    const folder = scratchFolder();
    const path = join(folder.path, 'fairlead.toml');
    return {
      run: async (input) => {
        writeFileSync(path, input);
        const reading = await readHostConfig({ path, isNamed: true, env: {} });
        if (!reading.ok) {
          const { code, message } = reading.fault;
          hold(Object.hasOwn(gatewayErrors, code), 'a refusal has a code', () => code);
          hold(!message.includes(SECRET), 'a refusal repeats no value', () => message);
          return;
        }
        const { config, rows, warnings } = reading;
        hold(config.port >= 0 && config.port <= 65_535, 'a port is one');
        hold(
          config.bodyBytes > 0 && config.requestSecs > 0 && config.connections > 0,
          'a limit is above nothing',
        );
        hold(rows.length === Object.keys(config).length, 'every value has its row');
        judgeExtensions(reading.document);
        hold(!JSON.stringify(warnings).includes(SECRET), 'a warning repeats no value', () =>
          JSON.stringify(warnings),
        );
      },
      close: async () => folder.remove(),
    };
  },
};

/** What the same file says about extensions. */
function judgeExtensions(document: Readonly<Record<string, unknown>>): void {
  const reading = readExtensionTables(document);
  if (!reading.ok) {
    hold(reading.at.length > 0 && reading.problem !== '', 'a refusal about extensions has a place and words');
    hold(
      !reading.problem.includes(SECRET),
      'a refusal about extensions repeats no value',
      () => reading.problem,
    );
    return;
  }
  const { settings, environments, paths } = reading.tables;
  const isPlain = (values: object) => Object.values(values).every((value) => typeof value === 'string');
  hold(Object.values(environments).every(isPlain), 'an environment of an extension is texts');
  hold(
    paths.every(({ path }) => typeof path === 'string'),
    'a path of an extension is a text',
  );
  hold(JSON.stringify(settings) !== undefined, 'settings of extensions are plain');
  const told = reading.notices.map(({ message }) => message).join();
  hold(!told.includes(SECRET), 'a notice repeats no value', () => told);
}
