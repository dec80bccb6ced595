//! Whether an ID token proves who somebody is: signature, issuer, audience, times and nonce (OpenID Connect Core 1.0, 3.1.3.7).
//!
//! `jsonwebtoken` takes tokens apart and checks times, issuer and audience; ring, which is below our TLS anyway, checks signatures. Only
//! public keys of the provider count: a token that names no algorithm, or one with a shared secret, is refused before any key is looked
//! at. Start at [`check`].

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, new_error};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::signature::{Error as SignatureError, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, Header, Validation};
use ring::signature::{
    self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::{Map, Value};

/// How far the provider's clock may be from ours, in seconds.
const SKEW: u64 = 60;
/// The most bytes of a token.
const MOST: usize = 64 << 10;

/// What a token must say.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client_id: &'a str,
    pub(super) nonce: &'a str,
}

/// Why a token proves nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unproved {
    /// None of the known keys signed it; the provider may have new ones.
    NoKey,
    Wrong(String),
}

/// What a token says.
#[derive(Debug)]
pub(super) struct Claims(Map<String, Value>);

impl Claims {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        // Some providers write it as a text.
        matches!(self.0.get(name), Some(Value::Bool(true)))
            || self.text(name).is_some_and(|text| text == "true")
    }

    /// The texts at a name: one, or those of a list. Names may have dots of their own, as in `https://example.org/roles`; otherwise dots lead into
    /// objects, as in `realm_access.roles`.
    pub(super) fn values(&self, name: &str) -> Vec<&str> {
        let nested = || {
            let mut parts = name.split('.');
            let first = self.0.get(parts.next()?)?;
            parts.try_fold(first, |value, part| value.get(part))
        };
        match self.0.get(name).or_else(nested) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

/// The claims of a token that one of these keys signed for us.
///
/// # Errors
/// When it proves nothing.
pub(super) fn check(token: &str, keys: &[Jwk], expected: &Expected<'_>) -> Result<Claims, Unproved> {
    let wrong = |why: String| Unproved::Wrong(why);
    if token.len() > MOST {
        return Err(wrong("the token is too long".into()));
    }
    let header = jsonwebtoken::decode_header(token);
    let header = header.map_err(|error| wrong(format!("the token cannot be read: {error}")))?;
    if scheme(header.alg).is_none() {
        return Err(wrong(format!("the token is signed by {:?}, which no public key can check", header.alg)));
    }
    let mut validation = Validation::new(header.alg);
    validation.leeway = SKEW;
    validation.validate_nbf = true;
    validation.set_audience(&[expected.client_id]);
    validation.set_issuer(&[expected.issuer]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    for key in keys.iter().filter(|key| may_sign(key, &header)) {
        let Ok(key) = DecodingKey::from_jwk(key) else { continue };
        if key.family() != header.alg.family() {
            continue;
        }
        match jsonwebtoken::decode::<Map<String, Value>>(token, &key, &validation) {
            Ok(token) => return check_claims(Claims(token.claims), expected),
            Err(error) => match error.kind() {
                ErrorKind::InvalidSignature | ErrorKind::InvalidKeyFormat => {}
                _ => return Err(wrong(format!("the token is refused: {error}"))),
            },
        }
    }
    Err(Unproved::NoKey)
}

/// Whether a key may have signed a token with this header.
fn may_sign(key: &Jwk, header: &Header) -> bool {
    let common = &key.common;
    common.public_key_use.as_ref().is_none_or(|purpose| *purpose == PublicKeyUse::Signature)
        && header.kid.as_ref().is_none_or(|kid| common.key_id.as_ref() == Some(kid))
        && common.key_algorithm.is_none_or(|own| own.to_string().parse() == Ok(header.alg))
}

/// Checks what the signature alone does not say.
fn check_claims(claims: Claims, expected: &Expected<'_>) -> Result<Claims, Unproved> {
    let wrong = |why: &str| Err(Unproved::Wrong(why.into()));
    if claims.text("nonce") != Some(expected.nonce) {
        return wrong("the token's nonce is not that of this browser's sign-in");
    }
    let party = claims.0.get("azp").map(|party| party.as_str() == Some(expected.client_id));
    if party == Some(false) || (party.is_none() && claims.values("aud").len() > 1) {
        return wrong("the token was issued for another program");
    }
    let now = jsonwebtoken::get_current_timestamp();
    if claims.0.get("iat").and_then(Value::as_f64).is_none_or(|issued| issued > (now + SKEW) as f64) {
        return wrong("the token was issued in the future, or does not say when");
    }
    if claims.text("sub").is_none_or(str::is_empty) {
        return wrong("the token names nobody");
    }
    Ok(claims)
}

/// Lets `jsonwebtoken` check signatures by ring.
pub(super) fn use_ring() {
    static RING: CryptoProvider = CryptoProvider {
        signer_factory: |_, _| Err(new_error(ErrorKind::UnsupportedAlgorithm)),
        verifier_factory: |algorithm, key| {
            let scheme = scheme(*algorithm).ok_or_else(|| new_error(ErrorKind::UnsupportedAlgorithm))?;
            Ok(Box::new(RingVerifier { algorithm: *algorithm, scheme, key: key.clone() }))
        },
        // For making keys and their thumbprints, which the console never does.
        key_utils: KeyUtils::new_unimplemented(),
    };
    // An error means that it is there already.
    RING.install_default().ok();
}

/// How a signature is checked.
enum Scheme {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm),
}

/// `None` for signatures by a shared secret.
fn scheme(algorithm: Algorithm) -> Option<Scheme> {
    Some(match algorithm {
        Algorithm::RS256 => Scheme::Rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Scheme::Rsa(&signature::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Scheme::Rsa(&signature::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Scheme::Rsa(&signature::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Scheme::Rsa(&signature::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Scheme::Rsa(&signature::RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Scheme::Curve(&signature::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Scheme::Curve(&signature::ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Scheme::Curve(&signature::ED25519),
        _ => return None,
    })
}

struct RingVerifier {
    algorithm: Algorithm,
    scheme: Scheme,
    key: DecodingKey,
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), SignatureError> {
        let checked = match (&self.scheme, self.key.kind()) {
            (Scheme::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let key = RsaPublicKeyComponents { n: without_zeros(n), e: without_zeros(e) };
                key.verify(parameters, message, signature)
            }
            (Scheme::Curve(algorithm), DecodingKeyKind::SecretOrDer(key))
                if self.key.family() != AlgorithmFamily::Hmac =>
            {
                UnparsedPublicKey::new(*algorithm, key).verify(message, signature)
            }
            _ => return Err(SignatureError::new()),
        };
        checked.map_err(|_| SignatureError::new())
    }
}

/// Some providers begin a key's numbers with a zero, which ring refuses.
fn without_zeros(number: &[u8]) -> &[u8] {
    let begin = number.iter().position(|byte| *byte != 0).unwrap_or(number.len());
    &number[begin..]
}
