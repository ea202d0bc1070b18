//! What is read of files that somebody names in a configuration.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use swampbox_service::{Issuer, IssuerTerms, KeySource, Tls};
use tempfile::TempDir;

/// What is no regular file within the bound, with what is said of it.
fn unfit(home: &Path) -> [(PathBuf, &'static str); 4] {
    let [pipe, directory, long] = ["pipe", "directory", "long"].map(|name| home.join(name));
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    fs::create_dir(&directory).unwrap();
    fs::write(&long, vec![b' '; (1 << 20) + 1]).unwrap();
    [
        (pipe, "it is no file"),
        (directory, "it is no file"),
        ("/dev/zero".into(), "it is no file"),
        (long, "it has more than 1048576 bytes"),
    ]
}

#[test]
fn a_certificate_and_its_key_are_regular_files_within_a_bound() {
    let home = TempDir::new().unwrap();
    let certificate = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/tls/localhost.pem");
    for (file, said) in unfit(home.path()) {
        let said = format!("{}: {said}", file.display());
        let told = |certificate: &Path, key: &Path| {
            Tls::read(certificate, key).err().map(|error| error.to_string())
        };
        assert_eq!(told(&file, &certificate).as_ref(), Some(&said));
        assert_eq!(told(&certificate, &file).as_ref(), Some(&said));
    }
}

#[test]
fn a_set_of_keys_is_a_regular_file_within_a_bound() {
    let home = TempDir::new().unwrap();
    for (file, said) in unfit(home.path()) {
        let said = format!("{}: {said}", file.display());
        let issuer = Issuer::new(IssuerTerms {
            issuer: "https://issuer.example".to_owned(),
            audience: "swampbox".to_owned(),
            keys: KeySource::File(file),
            name_claim: "sub".to_owned(),
            roles_claim: "groups".to_owned(),
            roles: vec![("builders".to_owned(), swampbox_service::Role::Agent)],
        });
        assert_eq!(issuer.unwrap().read_keys().unwrap_err().to_string(), said);
    }
}
