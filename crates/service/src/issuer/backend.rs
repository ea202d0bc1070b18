//! What verifies signatures for `jsonwebtoken`: ring, which TLS brings already.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{Error as Unverified, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};

static BACKEND: CryptoProvider = CryptoProvider {
    signer_factory: signs_nothing,
    verifier_factory: verifier,
    // They are for making sets of keys, which nobody does here.
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes it the one of this process, unless another one is already, which will do as well.
pub(super) fn install() {
    BACKEND.install_default().ok();
}

fn signs_nothing(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    Err(ErrorKind::InvalidAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let by = match algorithm {
        Algorithm::RS256 => By::Rsa(&RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => By::Rsa(&RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => By::Rsa(&RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => By::Rsa(&RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => By::Rsa(&RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => By::Rsa(&RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => By::Curve(&ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => By::Curve(&ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => By::Curve(&ED25519),
        _ => return Err(ErrorKind::InvalidAlgorithm.into()),
    };
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Ring { algorithm: *algorithm, by, key: key.clone() }))
}

struct Ring {
    algorithm: Algorithm,
    by: By,
    key: DecodingKey,
}

enum By {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm),
}

impl Verifier<Vec<u8>> for Ring {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), Unverified> {
        let verified = match (&self.by, self.key.kind()) {
            (By::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (By::Curve(algorithm), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(*algorithm, point).verify(message, signature)
            }
            _ => return Err(Unverified::new()),
        };
        verified.map_err(|_| Unverified::new())
    }
}

impl JwtVerifier for Ring {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
