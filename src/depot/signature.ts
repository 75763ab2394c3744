// Signatures of what names the newest release (Ed25519). The line that is signed has the sequence number and the hash of the
// list, which has the hashes of all files: so one signature covers everything.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';

/** So that no other text by the same key is ever taken for a pointer. */
const purpose = 'domesday newest release\n';
const prefix = 'ed25519:';

/** The private key as a PEM file, the public one as replicas are given it. */
export function makeKeys(): { readonly privatePem: string; readonly publicText: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const privatePem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { privatePem, publicText: textOf(publicKey) };
}

function textOf(publicKey: KeyObject): string {
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return `${prefix}${x}`;
}

/** Undefined where it is no private key for Ed25519. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Several are separated by commas. Undefined where one is none. */
export function readPublicKeys(text: string): readonly KeyObject[] | undefined {
  const keys = text.split(',').map((each) => readPublicKey(each.trim()));
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

function readPublicKey(text: string): KeyObject | undefined {
  const x = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  if (!/^[\w-]{43}$/.test(x)) return undefined;
  try {
    return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  } catch {
    return undefined;
  }
}

export const publicKeyOf = (privateKey: KeyObject): KeyObject => createPublicKey(privateKey);

const message = (line: string): Buffer => Buffer.from(`${purpose}${line}`);

export const signLine = (line: string, privateKey: KeyObject): string =>
  sign(null, message(line), privateKey).toString('base64');

export const isSignedBy = (line: string, signature: string, keys: readonly KeyObject[]): boolean =>
  keys.some((key) => verify(null, message(line), key, Buffer.from(signature, 'base64')));
